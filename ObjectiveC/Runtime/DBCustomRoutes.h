// Uploads of many files with one commit.

#import <Foundation/Foundation.h>
#import "DBFILESRoutes.h"
#import "DBHandlerTypes.h"

@class DBFILESCommitInfo;

NS_ASSUME_NONNULL_BEGIN

@interface DBBatchUploadTask : NSObject {
    id _upload;
}
/// Ends it; files that are not committed yet never are.
- (void)cancel;
- (BOOL)uploadsInProgress;
@end

@interface DBFILESUserAuthRoutes (DBCustomRoutes)
/// Uploads files of any size, and commits up to 1,000 at once. Both blocks run in `queue`, or on the main thread.
- (DBBatchUploadTask *)batchUploadFiles:(NSDictionary<NSURL *, DBFILESCommitInfo *> *)fileUrlsToCommitInfo
                                  queue:(nullable NSOperationQueue *)queue
                          progressBlock:(DBProgressBlock _Nullable)progressBlock
                          responseBlock:(DBBatchUploadResponseBlock)responseBlock;
@end

NS_ASSUME_NONNULL_END
