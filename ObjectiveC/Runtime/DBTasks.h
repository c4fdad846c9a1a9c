// Requests, which are sent as soon as a route's method is called; their blocks get what became of them. A block runs on the main
// thread, in its run loop, or as an operation of a queue. A task lives until its response is there, whether or not a program keeps it.

#import <Foundation/Foundation.h>
#import "DBHandlerTypes.h"
#import "DBLanguage.h"

@class DBRequestError, DBRoute;

NS_ASSUME_NONNULL_BEGIN

@interface DBTask : NSObject {
    DBRoute *_route;
    NSString *_taskIdentifier, *_tokenUid, *_persistedString;
    NSDate *_earliestDate;
    int _retryCount;
    id _call;
}
@property (nonatomic, readonly) DBRoute *route;
@property (nonatomic, readonly, copy) NSString *taskIdentifier;
/// How often it was restarted.
@property (nonatomic) int retryCount;
@property (nonatomic, readonly, copy) NSString *tokenUid;
- (instancetype)initWithRoute:(DBRoute *)route tokenUid:(nullable NSString *)tokenUid;
/// Ends it: its error is NSURLErrorCancelled.
- (void)cancel;
/// Holds its response back until resume; bytes that move go on moving.
- (void)suspend;
- (void)resume;
- (void)start;
/// Sends the same request again, with the same blocks, as a new task.
- (DBTask *)restart;
@end

@interface DBRpcTask<TResponse, TError> : DBTask
typedef void (^DBRpcResponseBlock)(TResponse _Nullable result, TError _Nullable routeError, DBRequestError *_Nullable networkError);
- (DBRpcTask<TResponse, TError> *)setResponseBlock:(DBRpcResponseBlock)responseBlock;
- (DBRpcTask<TResponse, TError> *)setResponseBlock:(DBRpcResponseBlock)responseBlock queue:(nullable NSOperationQueue *)queue;
- (DBRpcTask<TResponse, TError> *)setProgressBlock:(DBProgressBlock)progressBlock;
- (DBRpcTask<TResponse, TError> *)setProgressBlock:(DBProgressBlock)progressBlock queue:(nullable NSOperationQueue *)queue;
@end

@interface DBUploadTask<TResponse, TError> : DBTask
typedef void (^DBUploadResponseBlock)(TResponse _Nullable result, TError _Nullable routeError,
                                      DBRequestError *_Nullable networkError);
- (DBUploadTask<TResponse, TError> *)setResponseBlock:(DBUploadResponseBlock)responseBlock;
- (DBUploadTask<TResponse, TError> *)setResponseBlock:(DBUploadResponseBlock)responseBlock queue:(nullable NSOperationQueue *)queue;
- (DBUploadTask<TResponse, TError> *)setProgressBlock:(DBProgressBlock)progressBlock;
- (DBUploadTask<TResponse, TError> *)setProgressBlock:(DBProgressBlock)progressBlock queue:(nullable NSOperationQueue *)queue;
@end

@interface DBDownloadUrlTask<TResponse, TError> : DBTask
typedef void (^DBDownloadUrlResponseBlock)(TResponse _Nullable result, TError _Nullable routeError,
                                           DBRequestError *_Nullable networkError, NSURL *destination);
- (DBDownloadUrlTask<TResponse, TError> *)setResponseBlock:(DBDownloadUrlResponseBlock)responseBlock;
- (DBDownloadUrlTask<TResponse, TError> *)setResponseBlock:(DBDownloadUrlResponseBlock)responseBlock
                                                     queue:(nullable NSOperationQueue *)queue;
- (DBDownloadUrlTask<TResponse, TError> *)setProgressBlock:(DBProgressBlock)progressBlock;
- (DBDownloadUrlTask<TResponse, TError> *)setProgressBlock:(DBProgressBlock)progressBlock queue:(nullable NSOperationQueue *)queue;
@end

@interface DBDownloadDataTask<TResponse, TError> : DBTask
typedef void (^DBDownloadDataResponseBlock)(TResponse _Nullable result, TError _Nullable routeError,
                                            DBRequestError *_Nullable networkError, NSData *_Nullable fileData);
- (DBDownloadDataTask<TResponse, TError> *)setResponseBlock:(DBDownloadDataResponseBlock)responseBlock;
- (DBDownloadDataTask<TResponse, TError> *)setResponseBlock:(DBDownloadDataResponseBlock)responseBlock
                                                      queue:(nullable NSOperationQueue *)queue;
- (DBDownloadDataTask<TResponse, TError> *)setProgressBlock:(DBProgressBlock)progressBlock;
- (DBDownloadDataTask<TResponse, TError> *)setProgressBlock:(DBProgressBlock)progressBlock queue:(nullable NSOperationQueue *)queue;
@end

/// Tasks that are to be cancelled together.
@interface DBTasksStorage : NSObject {
    NSMutableSet *_tasks;
}
- (void)cancelAllTasks;
- (void)addUploadTask:(DBUploadTask *)task;
- (void)removeUploadTask:(DBUploadTask *)task;
- (void)addDownloadUrlTask:(DBDownloadUrlTask *)task;
- (void)removeDownloadUrlTask:(DBDownloadUrlTask *)task;
- (void)addDownloadDataTask:(DBDownloadDataTask *)task;
- (void)removeDownloadDataTask:(DBDownloadDataTask *)task;
/// Whether a task was added that has not been removed.
- (BOOL)tasksInProgress;
@end

NS_ASSUME_NONNULL_END
