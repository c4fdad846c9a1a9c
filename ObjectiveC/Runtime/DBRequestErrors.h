// Failures of requests of any route.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

@class DBAUTHAccessError, DBAUTHAuthError, DBAUTHRateLimitError, DBCOMMONPathRootError;

NS_ASSUME_NONNULL_BEGIN

/// The domain of failures that are neither the server's nor those of NSURLErrorDomain. The codes are those of `dropbox_error_kind` in
/// dropbox.h.
FOUNDATION_EXPORT NSString *const DBErrorDomain;

/// A sentence of the server's for a user.
@interface DBLocalizedUserMessage : NSObject {
    NSString *_text, *_locale;
}
@property (nonatomic, readonly, copy) NSString *text;
@property (nonatomic, readonly, copy) NSString *locale;
- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithText:(NSString *)text locale:(NSString *)locale;
- (NSString *)description;
@end

/// Any status that is no success.
@interface DBRequestHttpError : NSObject {
    NSString *_requestId, *_errorContent;
    NSNumber *_statusCode;
    DBLocalizedUserMessage *_userMessage;
}
@property (nonatomic, readonly, copy) NSString *requestId;
@property (nonatomic, readonly) NSNumber *statusCode;
@property (nonatomic, readonly, copy) NSString *errorContent;
@property (nonatomic, readonly, nullable) DBLocalizedUserMessage *userMessage;
- (instancetype)init:(NSString *)requestId
          statusCode:(NSNumber *)statusCode
        errorContent:(NSString *)errorContent
         userMessage:(nullable DBLocalizedUserMessage *)userMessage;
- (NSString *)description;
@end

/// 400: the server did not understand the request.
@interface DBRequestBadInputError : DBRequestHttpError
@end

/// 401: the token was refused.
@interface DBRequestAuthError : DBRequestHttpError {
    DBAUTHAuthError *_structuredAuthError;
}
@property (nonatomic, readonly) DBAUTHAuthError *structuredAuthError;
- (instancetype)init:(NSString *)requestId
             statusCode:(NSNumber *)statusCode
           errorContent:(NSString *)errorContent
            userMessage:(nullable DBLocalizedUserMessage *)userMessage
    structuredAuthError:(DBAUTHAuthError *)structuredAuthError;
@end

/// 403: the account may not do this.
@interface DBRequestAccessError : DBRequestHttpError {
    DBAUTHAccessError *_structuredAccessError;
}
@property (nonatomic, readonly) DBAUTHAccessError *structuredAccessError;
- (instancetype)init:(NSString *)requestId
               statusCode:(NSNumber *)statusCode
             errorContent:(NSString *)errorContent
              userMessage:(nullable DBLocalizedUserMessage *)userMessage
    structuredAccessError:(DBAUTHAccessError *)structuredAccessError;
@end

/// 422: the path root was refused.
@interface DBRequestPathRootError : DBRequestHttpError {
    DBCOMMONPathRootError *_structuredPathRootError;
}
@property (nonatomic, readonly) DBCOMMONPathRootError *structuredPathRootError;
- (instancetype)init:(NSString *)requestId
                 statusCode:(NSNumber *)statusCode
               errorContent:(NSString *)errorContent
                userMessage:(nullable DBLocalizedUserMessage *)userMessage
    structuredPathRootError:(DBCOMMONPathRootError *)structuredPathRootError;
@end

/// 429: too many requests; `backoff` is in seconds.
@interface DBRequestRateLimitError : DBRequestHttpError {
    DBAUTHRateLimitError *_structuredRateLimitError;
    NSNumber *_backoff;
}
@property (nonatomic, readonly) DBAUTHRateLimitError *structuredRateLimitError;
@property (nonatomic, readonly) NSNumber *backoff;
- (instancetype)init:(NSString *)requestId
                  statusCode:(NSNumber *)statusCode
                errorContent:(NSString *)errorContent
                 userMessage:(nullable DBLocalizedUserMessage *)userMessage
    structuredRateLimitError:(DBAUTHRateLimitError *)structuredRateLimitError
                     backoff:(NSNumber *)backoff;
@end

/// 5xx.
@interface DBRequestInternalServerError : DBRequestHttpError
@end

/// There was no response, or none that can be used.
@interface DBRequestClientError : NSObject {
    NSError *_nsError;
}
@property (nonatomic, readonly) NSError *nsError;
- (instancetype)init:(NSError *)nsError;
- (NSString *)description;
@end

/// One of them: `is…` says which, `as…` is it, and raises an exception for another one.
@interface DBRequestError : NSObject {
    int _kind;
    NSString *_requestId, *_errorContent;
    NSNumber *_statusCode, *_backoff;
    DBLocalizedUserMessage *_userMessage;
    DBAUTHAuthError *_structuredAuthError;
    DBAUTHAccessError *_structuredAccessError;
    DBCOMMONPathRootError *_structuredPathRootError;
    DBAUTHRateLimitError *_structuredRateLimitError;
    NSError *_nsError;
}
typedef NS_ENUM(NSInteger, DBRequestErrorTag) {
    DBRequestErrorHttp,
    DBRequestErrorBadInput,
    DBRequestErrorAuth,
    DBRequestErrorPathRoot,
    DBRequestErrorAccess,
    DBRequestErrorRateLimit,
    DBRequestErrorInternalServer,
    DBRequestErrorClient,
};
@property (nonatomic, readonly) DBRequestErrorTag tag;
@property (nonatomic, readonly, copy, nullable) NSString *requestId;
@property (nonatomic, readonly, nullable) NSNumber *statusCode;
@property (nonatomic, readonly, copy, nullable) NSString *errorContent;
@property (nonatomic, readonly, nullable) DBLocalizedUserMessage *userMessage;
@property (nonatomic, readonly, nullable) DBAUTHAuthError *structuredAuthError;
@property (nonatomic, readonly, nullable) DBAUTHAccessError *structuredAccessError;
@property (nonatomic, readonly, nullable) DBCOMMONPathRootError *structuredPathRootError;
@property (nonatomic, readonly, nullable) DBAUTHRateLimitError *structuredRateLimitError;
@property (nonatomic, readonly, nullable) NSNumber *backoff;
@property (nonatomic, readonly, nullable) NSError *nsError;
- (instancetype)initAsHttpError:(nullable NSString *)requestId
                     statusCode:(nullable NSNumber *)statusCode
                   errorContent:(nullable NSString *)errorContent
                    userMessage:(nullable DBLocalizedUserMessage *)userMessage;
- (instancetype)initAsBadInputError:(nullable NSString *)requestId
                         statusCode:(nullable NSNumber *)statusCode
                       errorContent:(nullable NSString *)errorContent
                        userMessage:(nullable DBLocalizedUserMessage *)userMessage;
- (instancetype)initAsAuthError:(nullable NSString *)requestId
                     statusCode:(nullable NSNumber *)statusCode
                   errorContent:(nullable NSString *)errorContent
                    userMessage:(nullable DBLocalizedUserMessage *)userMessage
            structuredAuthError:(nullable DBAUTHAuthError *)structuredAuthError;
- (instancetype)initAsAccessError:(nullable NSString *)requestId
                       statusCode:(nullable NSNumber *)statusCode
                     errorContent:(nullable NSString *)errorContent
                      userMessage:(nullable DBLocalizedUserMessage *)userMessage
            structuredAccessError:(nullable DBAUTHAccessError *)structuredAccessError;
- (instancetype)initAsPathRootError:(nullable NSString *)requestId
                         statusCode:(nullable NSNumber *)statusCode
                       errorContent:(nullable NSString *)errorContent
                        userMessage:(nullable DBLocalizedUserMessage *)userMessage
            structuredPathRootError:(nullable DBCOMMONPathRootError *)structuredPathRootError;
- (instancetype)initAsRateLimitError:(nullable NSString *)requestId
                          statusCode:(nullable NSNumber *)statusCode
                        errorContent:(nullable NSString *)errorContent
                         userMessage:(nullable DBLocalizedUserMessage *)userMessage
            structuredRateLimitError:(nullable DBAUTHRateLimitError *)structuredRateLimitError
                             backoff:(NSNumber *)backoff;
- (instancetype)initAsInternalServerError:(nullable NSString *)requestId
                               statusCode:(nullable NSNumber *)statusCode
                             errorContent:(nullable NSString *)errorContent
                              userMessage:(nullable DBLocalizedUserMessage *)userMessage;
- (instancetype)initAsClientError:(nullable NSError *)nsError;
- (instancetype)init:(DBRequestErrorTag)tag
                   requestId:(nullable NSString *)requestId
                  statusCode:(nullable NSNumber *)statusCode
                errorContent:(nullable NSString *)errorContent
                 userMessage:(nullable DBLocalizedUserMessage *)userMessage
         structuredAuthError:(nullable DBAUTHAuthError *)structuredAuthError
       structuredAccessError:(nullable DBAUTHAccessError *)structuredAccessError
     structuredPathRootError:(nullable DBCOMMONPathRootError *)structuredPathRootError
    structuredRateLimitError:(nullable DBAUTHRateLimitError *)structuredRateLimitError
                     backoff:(nullable NSNumber *)backoff
                     nsError:(nullable NSError *)nsError;
- (BOOL)isHttpError;
- (BOOL)isBadInputError;
- (BOOL)isAuthError;
- (BOOL)isAccessError;
- (BOOL)isPathRootError;
- (BOOL)isRateLimitError;
- (BOOL)isInternalServerError;
- (BOOL)isClientError;
- (DBRequestHttpError *)asHttpError;
- (DBRequestBadInputError *)asBadInputError;
- (DBRequestAuthError *)asAuthError;
- (DBRequestAccessError *)asAccessError;
- (DBRequestPathRootError *)asPathRootError;
- (DBRequestRateLimitError *)asRateLimitError;
- (DBRequestInternalServerError *)asInternalServerError;
- (DBRequestClientError *)asClientError;
- (NSString *)tagName;
- (NSString *)description;
@end

NS_ASSUME_NONNULL_END
