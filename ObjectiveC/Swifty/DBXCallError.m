// Failures of requests by their names in SwiftyDropboxObjC: classes around a failure of the Objective-C library.

#import "DBXCallError.h"
#import <dropbox.h>

@implementation DBXCallError
+ (Class)classOf:(DBRequestError *)failure {
    switch (failure.tag) {
        case DBRequestErrorInternalServer: return [DBXInternalServerError class];
        case DBRequestErrorBadInput: return [DBXBadInputError class];
        case DBRequestErrorAuth: return [DBXAuthError class];
        case DBRequestErrorAccess: return [DBXAccessError class];
        case DBRequestErrorRateLimit: return [DBXRateLimitError class];
        case DBRequestErrorHttp: return [failure.statusCode intValue] == 409 ? [DBXRouteError class] : [DBXHttpError class];
        case DBRequestErrorPathRoot: return [DBXHttpError class];
        case DBRequestErrorClient: break;
    }
    BOOL isUnreadable = [[failure.nsError domain] isEqual:DBErrorDomain] && [failure.nsError code] == DROPBOX_ERROR_SERIALIZATION;
    return isUnreadable ? [DBXSerializationError class] : [DBXClientError class];
}
+ (DBXCallError *)errorOf:(DBRequestError *)failure {
    DBXCallError *error = [[[[self classOf:failure] alloc] init] autorelease];
    error->_failure = [failure retain];
    return error;
}
- (id)ifKind:(Class)class { return [self isKindOfClass:class] ? self : nil; }
- (DBXInternalServerError *)asInternalServerError { return [self ifKind:[DBXInternalServerError class]]; }
- (DBXBadInputError *)asBadInputError { return [self ifKind:[DBXBadInputError class]]; }
- (DBXAuthError *)asAuthError { return [self ifKind:[DBXAuthError class]]; }
- (DBXAccessError *)asAccessError { return [self ifKind:[DBXAccessError class]]; }
- (DBXHttpError *)asHttpError { return [self ifKind:[DBXHttpError class]]; }
- (DBXRouteError *)asRouteError { return [self ifKind:[DBXRouteError class]]; }
- (DBXRateLimitError *)asRateLimitError { return [self ifKind:[DBXRateLimitError class]]; }
- (DBXSerializationError *)asSerializationError { return [self ifKind:[DBXSerializationError class]]; }
- (DBXClientError *)asClientError { return [self ifKind:[DBXClientError class]]; }
- (NSString *)description { return [_failure description]; }
- (void)dealloc {
    [_failure release];
    [super dealloc];
}
@end

@implementation DBXRequestError
- (NSString *)message { return _failure.errorContent; }
- (NSString *)requestId { return _failure.requestId; }
@end

@implementation DBXInternalServerError
- (NSInteger)code { return [_failure.statusCode integerValue]; }
@end

@implementation DBXBadInputError
@end

@implementation DBXRateLimitError
- (DBAUTHRateLimitError *)error { return _failure.structuredRateLimitError; }
- (DBXLocalizedUserMessage *)localizedUserMessage { return _failure.userMessage; }
@end

@implementation DBXHttpError
- (NSInteger)code { return [_failure.statusCode integerValue]; }
@end

@implementation DBXAuthError
- (DBAUTHAuthError *)error { return _failure.structuredAuthError; }
- (DBXLocalizedUserMessage *)localizedUserMessage { return _failure.userMessage; }
@end

@implementation DBXAccessError
- (DBAUTHAccessError *)error { return _failure.structuredAccessError; }
- (DBXLocalizedUserMessage *)localizedUserMessage { return _failure.userMessage; }
@end

@implementation DBXRouteError
- (DBXLocalizedUserMessage *)localizedUserMessage { return _failure.userMessage; }
@end

@implementation DBXSerializationError
- (NSError *)error { return _failure.nsError; }
@end

@implementation DBXClientError
- (NSError *)error { return _failure.nsError; }
@end
