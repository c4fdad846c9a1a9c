// Failures of requests by their names in SwiftyDropboxObjC: a class for each kind; `as…` is the error if it is one of that kind, else nil.

#import <ObjectiveDropboxOfficial/ObjectiveDropboxOfficial.h>

@class DBXAccessError, DBXAuthError, DBXBadInputError, DBXClientError, DBXHttpError, DBXInternalServerError, DBXRateLimitError, DBXRouteError,
    DBXSerializationError;
@compatibility_alias DBXLocalizedUserMessage DBLocalizedUserMessage;

NS_ASSUME_NONNULL_BEGIN

@interface DBXCallError : NSObject {
    DBRequestError *_failure;
}
/// The class that is right for a failure of the Objective-C library.
+ (DBXCallError *)errorOf:(DBRequestError *)failure;
- (nullable DBXInternalServerError *)asInternalServerError;
- (nullable DBXBadInputError *)asBadInputError;
- (nullable DBXAuthError *)asAuthError;
- (nullable DBXAccessError *)asAccessError;
- (nullable DBXHttpError *)asHttpError;
- (nullable DBXRouteError *)asRouteError;
- (nullable DBXRateLimitError *)asRateLimitError;
- (nullable DBXSerializationError *)asSerializationError;
- (nullable DBXClientError *)asClientError;
@end

/// The server refused the request.
@interface DBXRequestError : DBXCallError
@property (nonatomic, readonly, nullable) NSString *message;
@property (nonatomic, readonly, nullable) NSString *requestId;
@end

/// 5xx.
@interface DBXInternalServerError : DBXRequestError
@property (nonatomic, readonly) NSInteger code;
@end

/// 400: the server did not understand the request.
@interface DBXBadInputError : DBXRequestError
@end

/// 429: too many requests; `error.retryAfter` is in seconds.
@interface DBXRateLimitError : DBXRequestError
@property (nonatomic, readonly) DBAUTHRateLimitError *error;
@property (nonatomic, readonly, nullable) DBXLocalizedUserMessage *localizedUserMessage;
@end

/// Any other status.
@interface DBXHttpError : DBXRequestError
@property (nonatomic, readonly) NSInteger code;
@end

/// 401: the token was refused.
@interface DBXAuthError : DBXRequestError
@property (nonatomic, readonly) DBAUTHAuthError *error;
@property (nonatomic, readonly, nullable) DBXLocalizedUserMessage *localizedUserMessage;
@end

/// 403: the account may not do this.
@interface DBXAccessError : DBXRequestError
@property (nonatomic, readonly) DBAUTHAccessError *error;
@property (nonatomic, readonly, nullable) DBXLocalizedUserMessage *localizedUserMessage;
@end

/// 409 of a route without an error of its own.
@interface DBXRouteError : DBXRequestError
@property (nonatomic, readonly, nullable) DBXLocalizedUserMessage *localizedUserMessage;
@end

/// The response is not what the route promises.
@interface DBXSerializationError : DBXCallError
@property (nonatomic, readonly) NSError *error;
@end

/// There was no response.
@interface DBXClientError : DBXCallError
@property (nonatomic, readonly, nullable) NSError *error;
@end

NS_ASSUME_NONNULL_END
