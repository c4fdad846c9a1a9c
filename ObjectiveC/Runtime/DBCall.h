// One request on its way through libdropbox. Not for programs.

#import "DBRequestErrors.h"
#import "DBStoneTables.h"
#import "DBTasks.h"
#import <dropbox.h>

@class DBTransportDefaultClient;

typedef enum { DBCallRpc, DBCallUploadData, DBCallUploadFile, DBCallUploadStream, DBCallDownloadFile, DBCallDownloadData } DBCallKind;

@interface DBCall : NSObject {
  @public
    DBCallKind kind;
    DBTransportDefaultClient *client;
    DBRoute *route;
    Class taskClass;
    id argument;       ///< JSON
    NSData *data;
    NSString *file;    ///< of an upload; of a download that is received here, the place until it is complete
    NSInputStream *stream;
    NSURL *destination;
    BOOL overwrite;
    NSNumber *first, *last;
    int restarts;
  @private
    id response;       ///< a block
    id progress;       ///< a block
    NSOperationQueue *responseQueue, *progressQueue;
    dropbox_cancel *cancel;
    BOOL isStarted, isSuspended, isDone, isDelivered, isLarge;
    int received;      ///< a descriptor
    NSMutableData *content;
    uint64_t reported;
    id result, routeError;
    DBRequestError *failure;
}
- (void)start;
- (void)cancel;
- (void)suspend;
- (void)resume;
- (void)setResponse:(id)block queue:(NSOperationQueue *)queue;
- (void)setProgress:(id)block queue:(NSOperationQueue *)queue;
/// The same request, not started, with the same blocks.
- (DBCall *)again;
- (DBTask *)task;
@end

@interface DBTask (Call)
+ (id)taskWithCall:(DBCall *)call;
@end

/// Runs a block on the main thread, in its run loop, or as an operation of another queue.
void DBPerform(NSOperationQueue *queue, void (^block)(void));
/// Makes a thread of the library one that may use Foundation.
void DBEnterThread(void);
