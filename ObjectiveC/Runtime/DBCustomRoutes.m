// Uploads of many files with one commit: the content of each goes into a session of its own, four files at a time, and the sessions are
// committed together. Content that was lost on the way is sent again by libdropbox.

#import "DBCustomRoutes.h"
#import "DBASYNC.h"
#import "DBCall.h"
#import "DBFILES.h"
#import "DBFailure.h"
#import "DBJSON.h"
#import "DBTransportConnection.h"
#import <Block.h>
#import <errno.h>
#import <fcntl.h>
#import <stdlib.h>
#import <string.h>
#import <unistd.h>

enum { pieceSize = 8 * 1024 * 1024, filesAtOnce = 4, commitsAtOnce = 1000 };

@interface DBBatchUpload : NSObject {
  @public
    DBTransportDefaultClient *client;
    NSDictionary *commits; ///< by URL
    NSOperationQueue *queue;
    id progress, response; ///< blocks
    NSMutableDictionary *cursors, *problems, *entries;
    DBRequestError *finishProblem;
    dropbox_cancel *cancel;
    int64_t sent, expected;
    BOOL isDone;
}
- (void)run;
@end

/// What a piece's progress is added to.
typedef struct {
    DBBatchUpload *upload;
    uint64_t reported;
} Piece;

@interface DBBatchUpload (Progress)
- (void)add:(uint64_t)bytes;
@end

static void onPiece(void *context, uint64_t done, uint64_t total) {
    Piece *piece = context;
    if (done <= piece->reported) return;
    uint64_t more = done - piece->reported;
    piece->reported = done;
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    [piece->upload add:more];
    [pool release];
}

@implementation DBBatchUpload

- (void)add:(uint64_t)bytes {
    @synchronized(self) {
        sent += (int64_t)bytes;
        if (progress == nil) return;
        DBProgressBlock block = progress;
        int64_t all = sent, whole = expected;
        DBPerform(queue, ^{ block((int64_t)bytes, all, whole); });
    }
}

/// Sends a piece; the answer's JSON, or nil with a failure.
- (id)send:(NSString *)route argument:(id)argument bytes:(const void *)bytes size:(size_t)size by:(dropbox_client *)connection
    failure:(DBRequestError **)failure {
    Piece piece = {self, 0};
    dropbox_options options = DROPBOX_OPTIONS_INIT;
    options.progress = onPiece;
    options.progress_context = &piece;
    options.cancel = cancel;
    dropbox_error *error = NULL;
    char *text = dropbox_call_upload(connection, [route UTF8String], [DBJSONText(argument) UTF8String], bytes, size, &options, &error);
    id json = text == NULL ? nil : DBJSONRead(text);
    if (text == NULL) *failure = DBFailureOf(error);
    else if (size > piece.reported) [self add:size - piece.reported];
    dropbox_free(text);
    dropbox_error_free(error);
    return json;
}

/// Sends a file into a session, and gives its cursor; nil with a failure.
- (NSDictionary *)send:(NSURL *)url by:(dropbox_client *)connection failure:(DBRequestError **)failure {
    const char *path = [[url path] fileSystemRepresentation];
    int descriptor = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = descriptor < 0 ? NULL : malloc(pieceSize);
    NSString *session = nil;
    unsigned long long offset = 0;
    BOOL isLast = NO;
    if (bytes == NULL) *failure = DBLocalFailure(NSCocoaErrorDomain, 260, [NSString stringWithFormat:@"%@: %s", [url path], strerror(errno)]);
    while (bytes != NULL && !isLast) {
        size_t size = 0;
        while (size < pieceSize) {
            ssize_t length = read(descriptor, bytes + size, pieceSize - size);
            if (length < 0 && errno == EINTR) continue;
            if (length < 0) *failure = DBLocalFailure(NSCocoaErrorDomain, 256, [NSString stringWithFormat:@"%@: %s", [url path], strerror(errno)]);
            if (length <= 0) break;
            size += (size_t)length;
        }
        if (*failure != nil) break;
        isLast = size < pieceSize;
        NSNumber *close = [NSNumber numberWithBool:isLast];
        if (session == nil) {
            NSDictionary *start = [NSDictionary dictionaryWithObject:close forKey:@"close"];
            id answer = [self send:@"files/upload_session/start" argument:start bytes:bytes size:size by:connection failure:failure];
            session = [answer isKindOfClass:[NSDictionary class]] ? [answer objectForKey:@"session_id"] : nil;
            if (*failure == nil && ![session isKindOfClass:[NSString class]])
                *failure = DBLocalFailure(DBErrorDomain, DROPBOX_ERROR_SERIALIZATION, @"the session has no id");
        } else {
            NSDictionary *append = [NSDictionary dictionaryWithObjectsAndKeys:[self cursor:session offset:offset], @"cursor", close, @"close", nil];
            [self send:@"files/upload_session/append_v2" argument:append bytes:bytes size:size by:connection failure:failure];
        }
        if (*failure != nil) break;
        offset += size;
    }
    free(bytes);
    if (descriptor >= 0) close(descriptor);
    return *failure == nil ? [self cursor:session offset:offset] : nil;
}

- (NSDictionary *)cursor:(NSString *)session offset:(unsigned long long)offset {
    return [NSDictionary dictionaryWithObjectsAndKeys:session, @"session_id", [NSNumber numberWithUnsignedLongLong:offset], @"offset", nil];
}

/// Commits the sessions of some files.
- (void)commit:(NSArray *)urls by:(dropbox_client *)connection {
    NSMutableArray *list = [NSMutableArray array];
    for (NSURL *url in urls) {
        id commit = [DBFILESCommitInfo serialize:[commits objectForKey:url]];
        [list addObject:[NSDictionary dictionaryWithObjectsAndKeys:[cursors objectForKey:url], @"cursor", commit, @"commit", nil]];
    }
    dropbox_options options = DROPBOX_OPTIONS_INIT;
    options.cancel = cancel;
    dropbox_error *error = NULL;
    NSString *argument = DBJSONText([NSDictionary dictionaryWithObject:list forKey:@"entries"]);
    char *text = dropbox_call(connection, "files/upload_session/finish_batch_v2", [argument UTF8String], &options, &error);
    @try {
        if (text == NULL) {
            finishProblem = [DBFailureOf(error) retain];
        } else {
            DBFILESUploadSessionFinishBatchResult *result = [DBFILESUploadSessionFinishBatchResult deserialize:DBJSONRead(text)];
            if ([result.entries count] != [urls count]) DBRefuse(@"the answer has another number of entries than the question");
            for (NSUInteger index = 0; index < [urls count]; index++)
                [entries setObject:[result.entries objectAtIndex:index] forKey:[urls objectAtIndex:index]];
        }
    } @catch (NSException *exception) {
        finishProblem = [DBLocalFailure(DBErrorDomain, DROPBOX_ERROR_SERIALIZATION, [exception reason]) retain];
    }
    dropbox_free(text);
    dropbox_error_free(error);
}

- (void)sendAllBy:(dropbox_client *)connection {
    NSOperationQueue *workers = [[[NSOperationQueue alloc] init] autorelease];
    [workers setMaxConcurrentOperationCount:filesAtOnce];
    for (NSURL *url in commits) {
        DBPerform(workers, ^{
            DBRequestError *failure = nil;
            NSDictionary *cursor = [self send:url by:connection failure:&failure];
            @synchronized(self) {
                if (cursor != nil) [self->cursors setObject:cursor forKey:url];
                else [self->problems setObject:failure forKey:url];
            }
        });
    }
    [workers waitUntilAllOperationsAreFinished];
    NSArray *ready = [cursors allKeys];
    for (NSUInteger start = 0; start < [ready count] && finishProblem == nil; start += commitsAtOnce) {
        NSUInteger count = MIN((NSUInteger)commitsAtOnce, [ready count] - start);
        [self commit:[ready subarrayWithRange:NSMakeRange(start, count)] by:connection];
    }
}

- (void)run {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    cursors = [[NSMutableDictionary alloc] init];
    problems = [[NSMutableDictionary alloc] init];
    entries = [[NSMutableDictionary alloc] init];
    for (NSURL *url in commits)
        expected += (int64_t)[[[NSFileManager defaultManager] fileAttributesAtPath:[url path] traverseLink:YES] fileSize];
    NSConditionLock *lock = [[[NSConditionLock alloc] initWithCondition:0] autorelease];
    [client connectPersistently:^(dropbox_client *connection, DBRequestError *failure) {
        if (connection == NULL) self->finishProblem = [failure retain];
        else [self sendAllBy:connection];
        [lock lock];
        [lock unlockWithCondition:1];
    }];
    // A token may be renewed on another thread first.
    [lock lockWhenCondition:1];
    [lock unlock];
    @synchronized(self) { isDone = YES; }
    DBPerform(queue, ^{
        ((DBBatchUploadResponseBlock)self->response)(self->finishProblem == nil ? self->entries : nil, nil, self->finishProblem,
                                                      self->problems);
    });
    [pool release];
}

- (void)dealloc {
    if (progress != nil) Block_release((void *)progress);
    if (response != nil) Block_release((void *)response);
    dropbox_cancel_free(cancel);
    [client release], [commits release], [queue release], [cursors release], [problems release], [entries release];
    [finishProblem release];
    [super dealloc];
}
@end

@implementation DBBatchUploadTask
- (id)initWithUpload:(DBBatchUpload *)upload {
    if ((self = [super init]) != nil) _upload = [upload retain];
    return self;
}
- (void)cancel { dropbox_cancel_now(((DBBatchUpload *)_upload)->cancel); }
- (BOOL)uploadsInProgress {
    @synchronized(_upload) { return !((DBBatchUpload *)_upload)->isDone; }
}
- (void)dealloc {
    [_upload release];
    [super dealloc];
}
@end

@implementation DBFILESUserAuthRoutes (DBCustomRoutes)
- (DBBatchUploadTask *)batchUploadFiles:(NSDictionary *)commits
                                  queue:(NSOperationQueue *)queue
                          progressBlock:(DBProgressBlock)progress
                          responseBlock:(DBBatchUploadResponseBlock)response {
    DBBatchUpload *upload = [[[DBBatchUpload alloc] init] autorelease];
    upload->client = [(id)self.client retain];
    upload->commits = [commits copy];
    upload->queue = [queue retain];
    upload->progress = progress == nil ? nil : (id)Block_copy(progress);
    upload->response = (id)Block_copy(response);
    upload->cancel = dropbox_cancel_new();
    [NSThread detachNewThreadSelector:@selector(run) toTarget:upload withObject:nil];
    return [[[DBBatchUploadTask alloc] initWithUpload:upload] autorelease];
}
@end
