// One request on its way through libdropbox: how it is sent, what its callbacks do, and where its blocks run. Callbacks come on a
// thread of the library, one at a time. Not responsible for connections (DBTransportClient.m) or failures (DBFailure.m).

#define _GNU_SOURCE
#import "DBCall.h"
#import "DBFailure.h"
#import "DBGlobalErrorResponseHandler.h"
#import "DBJSON.h"
#import "DBTransportClient.h"
#import <Block.h>
#import <errno.h>
#import <fcntl.h>
#import <string.h>
#import <stdlib.h>
#import <unistd.h>

/// What one request may carry, by the API's documentation; more goes through a session.
static const unsigned long long largestUpload = 150 * 1024 * 1024;

@interface DBGlobalErrorResponseHandler (Call)
+ (void)handleRouteError:(id)routeError failure:(DBRequestError *)failure call:(DBCall *)call;
@end

@interface DBCall (Callbacks)
- (void)report:(uint64_t)done of:(uint64_t)total;
- (int)receive:(const void *)bytes size:(size_t)size;
- (void)endWith:(const char *)text error:(const dropbox_error *)error;
@end

static void onProgress(void *context, uint64_t done, uint64_t total) {
    DBEnterThread();
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    [(DBCall *)context report:done of:total];
    [pool release];
}

static int onContent(void *context, const void *bytes, size_t size) { return [(DBCall *)context receive:bytes size:size]; }

static void onDone(void *context, const char *result, const dropbox_error *error) {
    DBEnterThread();
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    [(DBCall *)context endWith:result error:error];
    [(DBCall *)context release];
    [pool release];
}

@implementation DBCall

- (id)init {
    if ((self = [super init]) != nil) {
        received = -1;
        cancel = dropbox_cancel_new();
    }
    return self;
}

- (DBTask *)task { return [taskClass taskWithCall:self]; }

- (DBCall *)again {
    DBCall *other = [[[DBCall alloc] init] autorelease];
    other->kind = kind, other->client = [client retain], other->route = [route retain], other->taskClass = taskClass;
    other->argument = [argument retain], other->data = [data retain], other->stream = [stream retain];
    other->destination = [destination retain], other->overwrite = overwrite, other->first = [first retain];
    other->last = [last retain], other->restarts = restarts + 1;
    if (kind == DBCallUploadFile) other->file = [file copy];
    if (kind == DBCallUploadStream && data != nil) other->kind = DBCallUploadData;
    @synchronized(self) {
        if (response != nil) [other setResponse:response queue:responseQueue];
        if (progress != nil) [other setProgress:progress queue:progressQueue];
    }
    return other;
}

// MARK: Blocks

- (void)setResponse:(id)block queue:(NSOperationQueue *)queue {
    @synchronized(self) {
        if (response != nil) Block_release((void *)response);
        response = block == nil ? nil : Block_copy(block);
        [responseQueue autorelease];
        responseQueue = [queue retain];
    }
    [self deliver];
}

- (void)setProgress:(id)block queue:(NSOperationQueue *)queue {
    @synchronized(self) {
        if (progress != nil) Block_release((void *)progress);
        progress = block == nil ? nil : Block_copy(block);
        [progressQueue autorelease];
        progressQueue = [queue retain];
    }
}

/// Gives the response to its block, once both are there.
- (void)deliver {
    NSOperationQueue *queue = nil;
    id block = nil;
    @synchronized(self) {
        if (!isDone || isSuspended || isDelivered || response == nil) return;
        isDelivered = YES;
        queue = [[responseQueue retain] autorelease];
        block = [[response retain] autorelease];
    }
    DBPerform(queue, ^{
        switch (self->kind) {
            case DBCallDownloadFile:
                ((void (^)(id, id, id, id))block)(self->result, self->routeError, self->failure, self->destination);
                break;
            case DBCallDownloadData:
                ((void (^)(id, id, id, id))block)(self->result, self->routeError, self->failure,
                                                   self->result == nil ? nil : self->content);
                break;
            default: ((void (^)(id, id, id))block)(self->result, self->routeError, self->failure);
        }
    });
}

- (void)cancel { dropbox_cancel_now(cancel); }

- (void)suspend {
    @synchronized(self) { isSuspended = YES; }
}

- (void)resume {
    @synchronized(self) { isSuspended = NO; }
    [self start];
    [self deliver];
}

// MARK: Sending

- (void)start {
    @synchronized(self) {
        if (isStarted) return;
        isStarted = YES;
    }
    // A stream or a disk may block, so that they are read on a thread of their own.
    if (kind == DBCallUploadStream || kind == DBCallUploadFile)
        [NSThread detachNewThreadSelector:@selector(read) toTarget:self withObject:nil];
    else
        [self connect];
}

- (void)read {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    if (kind == DBCallUploadStream) [self readStream];
    else [self readFile];
    [pool release];
}

- (void)readFile {
    unsigned long long size = [[[NSFileManager defaultManager] fileAttributesAtPath:file traverseLink:YES] fileSize];
    isLarge = size > largestUpload && [[route path] isEqual:@"files/upload"];
    if (!isLarge && size <= largestUpload) data = [[NSData alloc] initWithContentsOfFile:file];
    if (data != nil || isLarge)
        [self connect];
    else
        [self fail:NSCocoaErrorDomain code:256 message:[NSString stringWithFormat:@"%@ cannot be read, or is too large", file]];
}

- (void)connect {
    [client connect:^(dropbox_client *connection, DBRequestError *problem) {
        if (connection == NULL) [self end:nil routeError:nil failure:problem];
        else [self sendBy:connection];
    }];
}

- (void)readStream {
    NSMutableData *all = [NSMutableData data];
    NSInteger length = 0;
    uint8_t bytes[65536];
    [stream open];
    while ((length = [stream read:bytes maxLength:sizeof bytes]) > 0 && [all length] <= largestUpload)
        [all appendBytes:bytes length:(NSUInteger)length];
    NSError *problem = length < 0 ? [stream streamError] : nil;
    [stream close];
    if (length < 0) {
        [self fail:NSCocoaErrorDomain code:256 message:problem == nil ? @"the stream cannot be read" : [problem localizedDescription]];
    } else if ([all length] > largestUpload) {
        [self fail:DBErrorDomain code:DROPBOX_ERROR_INVALID_ARGUMENT
            message:@"a stream of more than 150 MiB is not sent: upload a file, or use an upload session"];
    } else {
        data = [all retain];
        [self connect];
    }
}

- (void)fail:(NSString *)domain code:(NSInteger)code message:(NSString *)message {
    [self end:nil routeError:nil failure:DBLocalFailure(domain, code, message)];
}

- (void)sendBy:(dropbox_client *)connection {
    NSString *path = [route path], *text = DBJSONText(argument);
    const char *name = [path UTF8String], *json = [text UTF8String];
    dropbox_options options = DROPBOX_OPTIONS_INIT;
    options.progress = onProgress;
    options.progress_context = self;
    options.cancel = cancel;
    switch (kind) {
        case DBCallRpc: {
            [self retain];
            if ([path isEqual:@"files/list_folder/longpoll"]) {
                NSNumber *seconds = [argument objectForKey:@"timeout"];
                dropbox_longpoll_start(connection, [[argument objectForKey:@"cursor"] UTF8String],
                                       seconds == nil ? 30 : [seconds unsignedIntValue], &options, onDone, self);
            } else {
                dropbox_call_start(connection, name, json, &options, onDone, self);
            }
            break;
        }
        case DBCallUploadFile:
        case DBCallUploadStream:
        case DBCallUploadData:
            [self retain];
            if (isLarge) {
                NSMutableDictionary *settings = [NSMutableDictionary dictionaryWithDictionary:argument];
                NSString *target = [settings objectForKey:@"path"];
                [settings removeObjectForKey:@"path"];
                [settings removeObjectForKey:@"content_hash"];
                dropbox_upload_file_start(connection, [file fileSystemRepresentation], [target UTF8String],
                                          [DBJSONText(settings) UTF8String], &options, onDone, self);
            } else {
                dropbox_call_upload_start(connection, name, json, [data bytes], [data length], &options, onDone, self);
                // A file can be read again when the request is; a stream cannot.
                if (kind == DBCallUploadFile) [data release], data = nil;
            }
            break;
        case DBCallDownloadFile:
        case DBCallDownloadData: [self download:path json:json by:connection options:&options]; break;
    }
}

- (void)download:(NSString *)path json:(const char *)json by:(dropbox_client *)connection options:(dropbox_options *)options {
    BOOL isWhole = first == nil && last == nil && [path isEqual:@"files/download"];
    // A revision has an address of its own.
    NSString *rev = [argument objectForKey:@"rev"];
    NSString *source = [rev isKindOfClass:[NSString class]] ? [@"rev:" stringByAppendingString:rev] : [argument objectForKey:@"path"];
    if (kind == DBCallDownloadFile && isWhole) {
        [self retain];
        dropbox_download_file_start(connection, [source UTF8String], [[destination path] fileSystemRepresentation], overwrite,
                                    options, onDone, self);
        return;
    }
    if (kind == DBCallDownloadFile) {
        NSString *folder = [[destination path] stringByDeletingLastPathComponent];
        NSString *form = [folder stringByAppendingPathComponent:[NSString stringWithFormat:@".%@.XXXXXX.part",
                                                                [[NSProcessInfo processInfo] globallyUniqueString]]];
        char *name = strdup([form fileSystemRepresentation]);
        received = name == NULL ? -1 : mkostemps(name, 5, O_CLOEXEC);
        if (received >= 0) file = [[NSString alloc] initWithUTF8String:name];
        free(name);
        if (received < 0) {
            [self fail:NSCocoaErrorDomain code:512 message:[NSString stringWithFormat:@"%@: %s", folder, strerror(errno)]];
            return;
        }
    } else {
        content = [[NSMutableData alloc] init];
    }
    uint64_t from = [first unsignedLongLongValue], to = last == nil ? DROPBOX_UNKNOWN : [last unsignedLongLongValue];
    if (to < from) {
        [self fail:DBErrorDomain code:DROPBOX_ERROR_INVALID_ARGUMENT message:@"byteOffsetEnd is before byteOffsetStart"];
        return;
    }
    uint64_t length = to == DROPBOX_UNKNOWN || to - from == UINT64_MAX ? DROPBOX_UNKNOWN : to - from + 1;
    [self retain];
    if (isWhole)
        dropbox_download_content_start(connection, [source UTF8String], onContent, options, onDone, self);
    else
        dropbox_call_download_start(connection, [path UTF8String], json, from, length, onContent, options, onDone, self);
}

// MARK: Callbacks

- (void)report:(uint64_t)done of:(uint64_t)total {
    @synchronized(self) {
        uint64_t more = done > reported ? done - reported : 0;
        reported = done;
        if (progress == nil) return;
        DBProgressBlock block = progress;
        int64_t known = total > INT64_MAX ? -1 : (int64_t)total, here = done > INT64_MAX ? INT64_MAX : (int64_t)done;
        DBPerform(progressQueue, ^{ block((int64_t)more, here, known); });
    }
}

- (int)receive:(const void *)bytes size:(size_t)size {
    if (kind == DBCallDownloadData) {
        DBEnterThread();
        [content appendBytes:bytes length:size];
        return 0;
    }
    while (size > 0) {
        ssize_t written = write(received, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return -1;
        bytes = (const char *)bytes + written;
        size -= (size_t)written;
    }
    return 0;
}

/// Gives a received file its name; an error's text otherwise.
- (NSString *)publish {
    const char *from = [file fileSystemRepresentation], *to = [[destination path] fileSystemRepresentation];
    // A link is refused where there is a file; a rename replaces it.
    int failed = overwrite ? rename(from, to) : link(from, to);
    return failed == 0 ? nil : [NSString stringWithFormat:@"%s: %s", to, strerror(errno)];
}

- (void)endWith:(const char *)text error:(const dropbox_error *)error {
    id value = nil, problem = nil;
    DBRequestError *failed = nil;
    @try {
        if (text == NULL || error != NULL) {
            problem = DBRouteErrorOf(route, error);
            failed = DBFailureOf(error);
        } else {
            value = [route decodedResult:DBJSONRead(text)];
        }
    } @catch (NSException *exception) {
        value = nil;
        failed = DBLocalFailure(DBErrorDomain, DROPBOX_ERROR_SERIALIZATION, [exception reason]);
    }
    if (received >= 0) {
        if (close(received) != 0 && failed == nil) failed = DBLocalFailure(NSCocoaErrorDomain, 512, @"the file cannot be written");
        received = -1;
        NSString *trouble = failed == nil ? [self publish] : nil;
        if (trouble != nil) failed = DBLocalFailure(NSCocoaErrorDomain, 516, trouble);
        unlink([file fileSystemRepresentation]);
        if (failed != nil) value = nil;
    }
    [self end:value routeError:problem failure:failed];
}

- (void)end:(id)value routeError:(id)problem failure:(DBRequestError *)failed {
    @synchronized(self) {
        if (isDone) return;
        result = [value retain], routeError = [problem retain], failure = [failed retain];
        if (kind == DBCallDownloadData && content == nil) content = [[NSMutableData alloc] init];
        isDone = YES;
    }
    if (failed != nil) [DBGlobalErrorResponseHandler handleRouteError:problem failure:failed call:self];
    [self deliver];
}

- (void)dealloc {
    if (response != nil) Block_release((void *)response);
    if (progress != nil) Block_release((void *)progress);
    if (received >= 0) close(received);
    dropbox_cancel_free(cancel);
    [client release], [route release], [argument release], [data release], [file release], [stream release];
    [destination release], [first release], [last release], [responseQueue release], [progressQueue release];
    [content release], [result release], [routeError release], [failure release];
    [super dealloc];
}
@end
