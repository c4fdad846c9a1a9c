// Where blocks run. GNUstep's main queue has threads of its own, so that the main thread is reached through its run loop.

#import "DBCall.h"
#import <Block.h>

@interface DBMainThread : NSObject
+ (void)run:(id)block;
@end

@implementation DBMainThread
+ (void)run:(id)block {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    ((void (^)(void))block)();
    [pool release];
}
@end

@interface DBOperation : NSOperation {
    void (^_block)(void);
}
@end

@implementation DBOperation
- (id)initWithBlock:(void (^)(void))block {
    if ((self = [super init]) != nil) _block = Block_copy(block);
    return self;
}
- (void)main { [DBMainThread run:(id)_block]; }
- (void)dealloc {
    Block_release(_block);
    [super dealloc];
}
@end

void DBPerform(NSOperationQueue *queue, void (^block)(void)) {
    if (queue == nil || queue == [NSOperationQueue mainQueue]) {
        id copy = [(id)block copy];
        [DBMainThread performSelectorOnMainThread:@selector(run:) withObject:copy waitUntilDone:NO];
        [copy release];
        return;
    }
    DBOperation *operation = [[DBOperation alloc] initWithBlock:block];
    [queue addOperation:operation];
    [operation release];
}

void DBEnterThread(void) {
    GSRegisterCurrentThread();
}
