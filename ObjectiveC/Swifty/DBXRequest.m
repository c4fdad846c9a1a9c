// Requests by their names in SwiftyDropboxObjC: what their blocks are called with.

#import "DBXRequest.h"
#import "DBCall.h"
#import <Block.h>

/// Calls a block of a program with as many values as it has parameters.
static void callWith(id block, id *values, int count) {
    switch (count) {
        case 1: ((void (^)(id))block)(values[0]); break;
        case 2: ((void (^)(id, id))block)(values[0], values[1]); break;
        case 3: ((void (^)(id, id, id))block)(values[0], values[1], values[2]); break;
        default: ((void (^)(id, id, id, id))block)(values[0], values[1], values[2], values[3]);
    }
}

@implementation DBTask (DBX)
+ (instancetype)requestOf:(DBTask *)task { return [self taskWithCall:(DBCall *)task->_call]; }
- (NSString *)clientPersistedString {
    @synchronized(self) { return [[_persistedString retain] autorelease]; }
}
- (instancetype)persistingStringWithString:(NSString *)string {
    @synchronized(self) {
        [_persistedString autorelease];
        _persistedString = [string copy];
    }
    return self;
}
- (NSDate *)earliestBeginDate {
    @synchronized(self) { return [[_earliestDate retain] autorelease]; }
}
- (instancetype)settingEarliestBeginDateWithDate:(NSDate *)date {
    @synchronized(self) {
        [_earliestDate autorelease];
        _earliestDate = [date retain];
    }
    return self;
}
- (instancetype)responseWithCompletionHandler:(id)handler { return [self responseWithQueue:nil completionHandler:handler]; }
- (instancetype)responseWithQueue:(NSOperationQueue *)queue completionHandler:(id)handler {
    const DBRouteTable *table = [self.route table];
    BOOL hasResult = table->result[0] != 'v', hasError = table->error[0] != 'v';
    DBCallKind kind = ((DBCall *)_call)->kind;
    BOOL hasContent = kind == DBCallDownloadFile || kind == DBCallDownloadData;
    id block = [[handler copy] autorelease];
    [(DBCall *)_call setResponse:(id)^(id result, id routeError, DBRequestError *failure, id content) {
        id values[4] = {nil, nil, nil, nil};
        int count = 0;
        if (hasResult) values[count++] = result;
        if (hasContent) values[count++] = result == nil ? nil : content;
        if (hasError) values[count++] = routeError;
        // The error of the route is not told twice.
        values[count++] = failure == nil || routeError != nil ? nil : [DBXCallError errorOf:failure];
        callWith(block, values, count);
    } queue:queue];
    return self;
}
- (instancetype)progress:(void (^)(NSProgress *))handler {
    void (^block)(NSProgress *) = [[handler copy] autorelease];
    NSProgress *progress = [NSProgress progressWithTotalUnitCount:-1];
    [(DBCall *)_call setProgress:(id)^(int64_t bytes, int64_t done, int64_t total) {
        progress.totalUnitCount = total;
        progress.completedUnitCount = done;
        block(progress);
    } queue:nil];
    return self;
}
@end
