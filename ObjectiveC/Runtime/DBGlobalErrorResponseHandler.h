// Blocks for failures of any request, beside the blocks that the requests have.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

@class DBRequestError, DBTask;

NS_ASSUME_NONNULL_BEGIN

@interface DBGlobalErrorResponseHandler : NSObject
typedef void (^DBRouteErrorResponseBlock)(id _Nullable routeError, DBRequestError *networkError, DBTask *restartTask);
typedef void (^DBNetworkErrorResponseBlock)(DBRequestError *networkError, DBTask *restartTask);
/// Called with errors of a class, and with values of that class within errors of others. `restartTask` sends the request again when it
/// is told to restart.
+ (void)registerRouteErrorResponseBlock:(DBRouteErrorResponseBlock)routeErrorResponseBlock routeErrorType:(Class)routeErrorType;
+ (void)registerRouteErrorResponseBlock:(DBRouteErrorResponseBlock)routeErrorResponseBlock
                         routeErrorType:(Class)routeErrorType
                                  queue:(nullable NSOperationQueue *)queue;
+ (void)removeRouteErrorResponseBlockWithRouteErrorType:(Class)routeErrorType;
/// Called with all failures that are not a route's own. There is one at a time.
+ (void)registerNetworkErrorResponseBlock:(DBNetworkErrorResponseBlock)networkErrorResponseBlock;
+ (void)registerNetworkErrorResponseBlock:(DBNetworkErrorResponseBlock)networkErrorResponseBlock
                                    queue:(nullable NSOperationQueue *)queue;
+ (void)removeNetworkErrorResponseBlock;
@end

NS_ASSUME_NONNULL_END
