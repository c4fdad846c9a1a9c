// Tasks, as programs see requests: names for what DBCall does.

#import "DBTasks.h"
#import "DBCall.h"
#import "DBStoneBase.h"

@implementation DBTask
@synthesize route = _route, taskIdentifier = _taskIdentifier, tokenUid = _tokenUid, retryCount = _retryCount;

- (instancetype)initWithRoute:(DBRoute *)route tokenUid:(NSString *)tokenUid {
    if ((self = [super init]) != nil) {
        _route = [route retain];
        _tokenUid = [tokenUid copy];
        _taskIdentifier = [[[NSProcessInfo processInfo] globallyUniqueString] copy];
    }
    return self;
}
+ (id)taskWithCall:(DBCall *)call {
    DBTask *task = [[[self alloc] initWithRoute:call->route tokenUid:[(id)call->client tokenUid]] autorelease];
    task->_call = [call retain];
    task->_retryCount = call->restarts;
    return task;
}
- (void)cancel { [(DBCall *)_call cancel]; }
- (void)suspend { [(DBCall *)_call suspend]; }
- (void)resume { [(DBCall *)_call resume]; }
- (void)start { [(DBCall *)_call start]; }
- (DBTask *)restart {
    DBTask *task = [[_call again] task];
    [task start];
    return task;
}
- (void)dealloc {
    [_route release], [_taskIdentifier release], [_tokenUid release], [_persistedString release], [_earliestDate release],
        [_call release];
    [super dealloc];
}
@end

#define DB_TASK(class, block) \
    @implementation class \
    -(class *)setResponseBlock : (block)responseBlock { return [self setResponseBlock:responseBlock queue:nil]; } \
    -(class *)setResponseBlock : (block)responseBlock queue : (NSOperationQueue *)queue { \
        [_call setResponse:(id)responseBlock queue:queue]; \
        return self; \
    } \
    -(class *)setProgressBlock : (DBProgressBlock)progressBlock { return [self setProgressBlock:progressBlock queue:nil]; } \
    -(class *)setProgressBlock : (DBProgressBlock)progressBlock queue : (NSOperationQueue *)queue { \
        [_call setProgress:(id)progressBlock queue:queue]; \
        return self; \
    } \
    @end
DB_TASK(DBRpcTask, DBRpcResponseBlock)
DB_TASK(DBUploadTask, DBUploadResponseBlock)
DB_TASK(DBDownloadUrlTask, DBDownloadUrlResponseBlock)
DB_TASK(DBDownloadDataTask, DBDownloadDataResponseBlock)

@implementation DBTasksStorage
- (id)init {
    if ((self = [super init]) != nil) _tasks = [[NSMutableSet alloc] init];
    return self;
}
- (void)cancelAllTasks {
    @synchronized(self) { [_tasks makeObjectsPerformSelector:@selector(cancel)]; }
}
- (void)add:(DBTask *)task {
    @synchronized(self) { [_tasks addObject:task]; }
}
- (void)remove:(DBTask *)task {
    @synchronized(self) { [_tasks removeObject:task]; }
}
- (void)addUploadTask:(DBUploadTask *)task { [self add:task]; }
- (void)removeUploadTask:(DBUploadTask *)task { [self remove:task]; }
- (void)addDownloadUrlTask:(DBDownloadUrlTask *)task { [self add:task]; }
- (void)removeDownloadUrlTask:(DBDownloadUrlTask *)task { [self remove:task]; }
- (void)addDownloadDataTask:(DBDownloadDataTask *)task { [self add:task]; }
- (void)removeDownloadDataTask:(DBDownloadDataTask *)task { [self remove:task]; }
- (BOOL)tasksInProgress {
    @synchronized(self) { return [_tasks count] > 0; }
}
- (void)dealloc {
    [_tasks release];
    [super dealloc];
}
@end
