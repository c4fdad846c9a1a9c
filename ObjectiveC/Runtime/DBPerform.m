// Where blocks run. GNUstep's main queue has threads of its own, and its queues take no blocks that this compiler makes: so the main
// thread is reached through its run loop, and a queue by operations.

#import "DBCall.h"
#import <Block.h>

@interface DBOperation : NSOperation {
    void (^_block)(void);
}
@end

@implementation DBOperation
- (id)initWithBlock:(void (^)(void))block {
    if ((self = [super init]) != nil) _block = Block_copy(block);
    return self;
}
- (void)main {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    _block();
    [pool release];
}
- (void)dealloc {
    Block_release(_block);
    [super dealloc];
}
@end

void DBPerform(NSOperationQueue *queue, void (^block)(void)) {
    DBOperation *operation = [[DBOperation alloc] initWithBlock:block];
    if (queue == nil || queue == [NSOperationQueue mainQueue])
        [operation performSelectorOnMainThread:@selector(main) withObject:nil waitUntilDone:NO];
    else
        [queue addOperation:operation];
    [operation release];
}

void DBEnterThread(void) {
    GSRegisterCurrentThread();
}
