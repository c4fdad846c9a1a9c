// Types of blocks.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

@class DBASYNCPollError;
@class DBFILESUploadSessionFinishBatchResultEntry;
@class DBRequestError;

NS_ASSUME_NONNULL_BEGIN

/// `totalBytesExpectedToWrite` is -1 while the server has not told it.
typedef void (^DBProgressBlock)(int64_t bytesWritten, int64_t totalBytesWritten, int64_t totalBytesExpectedToWrite);

typedef void (^DBBatchUploadResponseBlock)(
    NSDictionary<NSURL *, DBFILESUploadSessionFinishBatchResultEntry *> *_Nullable fileUrlsToBatchResultEntries,
    DBASYNCPollError *_Nullable finishBatchRouteError, DBRequestError *_Nullable finishBatchRequestError,
    NSDictionary<NSURL *, DBRequestError *> *fileUrlsToRequestErrors);

NS_ASSUME_NONNULL_END
