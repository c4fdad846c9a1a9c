// Blocks for failures of any request.

#import "DBGlobalErrorResponseHandler.h"
#import "DBCall.h"
#import <Block.h>

/// A block with the queue that it runs in.
@interface DBHandler : NSObject {
  @public
    id block;
    NSOperationQueue *queue;
}
@end

@implementation DBHandler
- (void)dealloc {
    Block_release((void *)block);
    [queue release];
    [super dealloc];
}
@end

static NSMutableDictionary *routeHandlers;
static DBHandler *networkHandler;

static DBHandler *handler(id block, NSOperationQueue *queue) {
    DBHandler *handler = [[[DBHandler alloc] init] autorelease];
    handler->block = Block_copy(block);
    handler->queue = [queue retain];
    return handler;
}

@implementation DBGlobalErrorResponseHandler
+ (void)initialize {
    if (routeHandlers == nil) routeHandlers = [[NSMutableDictionary alloc] init];
}
+ (void)registerRouteErrorResponseBlock:(DBRouteErrorResponseBlock)block routeErrorType:(Class)type {
    [self registerRouteErrorResponseBlock:block routeErrorType:type queue:nil];
}
+ (void)registerRouteErrorResponseBlock:(DBRouteErrorResponseBlock)block
                         routeErrorType:(Class)type
                                  queue:(NSOperationQueue *)queue {
    @synchronized(self) { [routeHandlers setObject:handler((id)block, queue) forKey:NSStringFromClass(type)]; }
}
+ (void)removeRouteErrorResponseBlockWithRouteErrorType:(Class)type {
    @synchronized(self) { [routeHandlers removeObjectForKey:NSStringFromClass(type)]; }
}
+ (void)registerNetworkErrorResponseBlock:(DBNetworkErrorResponseBlock)block {
    [self registerNetworkErrorResponseBlock:block queue:nil];
}
+ (void)registerNetworkErrorResponseBlock:(DBNetworkErrorResponseBlock)block queue:(NSOperationQueue *)queue {
    @synchronized(self) {
        [networkHandler autorelease];
        networkHandler = [handler((id)block, queue) retain];
    }
}
+ (void)removeNetworkErrorResponseBlock {
    @synchronized(self) {
        [networkHandler autorelease];
        networkHandler = nil;
    }
}

/// Runs the blocks for the class of a value, and for those of the values within.
+ (void)handleValue:(id)value failure:(DBRequestError *)failure task:(DBTask *)task {
    DBHandler *own = nil;
    @synchronized(self) { own = [[[routeHandlers objectForKey:NSStringFromClass([value class])] retain] autorelease]; }
    if (own != nil) DBPerform(own->queue, ^{ ((DBRouteErrorResponseBlock)own->block)(value, failure, task); });
    for (id inner in [value respondsToSelector:@selector(stoneParts)] ? [value stoneParts] : [NSArray array])
        [self handleValue:inner failure:failure task:task];
}

+ (void)handleRouteError:(id)routeError failure:(DBRequestError *)failure call:(DBCall *)call {
    DBHandler *network = nil;
    BOOL hasRouteHandlers = NO;
    @synchronized(self) {
        hasRouteHandlers = [routeHandlers count] > 0;
        network = [[networkHandler retain] autorelease];
    }
    DBTask *task = [call task];
    if (routeError != nil && hasRouteHandlers) [self handleValue:routeError failure:failure task:task];
    if (network == nil || ([failure isHttpError] && [failure.statusCode intValue] == 409)) return;
    DBPerform(network->queue, ^{ ((DBNetworkErrorResponseBlock)network->block)(failure, task); });
}
@end
