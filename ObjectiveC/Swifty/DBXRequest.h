// Requests by their names in SwiftyDropboxObjC: each route has a class, so that its block has the types of the route. A request is sent
// as soon as its method is called; its block runs as those of the Objective-C library do.

#import <ObjectiveDropboxOfficial/ObjectiveDropboxOfficial.h>
#import "DBXCallError.h"

NS_ASSUME_NONNULL_BEGIN

@protocol DBXRequest <NSObject>
/// A string of the program's, which stays with the request as long as the process lives.
- (nullable NSString *)clientPersistedString;
- (instancetype)persistingStringWithString:(nullable NSString *)string;
/// A date that is kept with the request, which is sent at once, as one of a session in the foreground.
- (nullable NSDate *)earliestBeginDate;
- (instancetype)settingEarliestBeginDateWithDate:(nullable NSDate *)date;
/// Ends it: its error is `asClientError` with NSURLErrorCancelled.
- (void)cancel;
@end

/// A route without arguments has one method for both sets of names, so that its block is not checked by the compiler: it has a
/// parameter for the result and for the error of the route, where there are such, and one for a `DBXCallError`.
@interface DBTask (DBX) <DBXRequest>
- (instancetype)responseWithCompletionHandler:(id)handler;
- (instancetype)responseWithQueue:(nullable NSOperationQueue *)queue completionHandler:(id)handler;
/// The same request with this class. The other object lets go of it.
+ (instancetype)requestOf:(DBTask *)task;
- (nullable NSString *)clientPersistedString;
- (instancetype)persistingStringWithString:(nullable NSString *)string;
- (nullable NSDate *)earliestBeginDate;
- (instancetype)settingEarliestBeginDateWithDate:(nullable NSDate *)date;
@end

NS_ASSUME_NONNULL_END
