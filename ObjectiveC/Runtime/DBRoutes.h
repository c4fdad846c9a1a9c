// What the classes of routes have in common.

#import <Foundation/Foundation.h>
#import "DBStoneBase.h"
#import "DBTasks.h"
#import "DBTransportClient.h"

NS_ASSUME_NONNULL_BEGIN

@interface DBRoutes : NSObject {
    id<DBTransportClient> _client;
}
@property (nonatomic, readonly) id<DBTransportClient> client;
- (instancetype)init:(id<DBTransportClient>)client;
@end

NS_ASSUME_NONNULL_END
