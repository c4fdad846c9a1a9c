// What the three kinds of clients have in common.

#import <Foundation/Foundation.h>
#import "DBRoutes.h"

NS_ASSUME_NONNULL_BEGIN

@interface DBBaseClient : NSObject {
    id<DBTransportClient> _transportClient;
    NSMutableDictionary *_routes;
}
- (instancetype)initWithTransportClient:(id<DBTransportClient>)client;
/// The routes of a class, one object for each.
- (id)routesOfClass:(Class)routes;
@end

NS_ASSUME_NONNULL_END
