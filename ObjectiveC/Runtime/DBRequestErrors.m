// Failures of requests of any route. Not responsible for which failure a response is: that is DBFailure.m.

#import "DBRequestErrors.h"
#import "DBStoneTables.h"

// NSObject has an -init that is not to be used.
#pragma clang diagnostic ignored "-Wincomplete-implementation"

NSString *const DBErrorDomain = @"DBErrorDomain";

@implementation DBLocalizedUserMessage
@synthesize text = _text, locale = _locale;
- (instancetype)initWithText:(NSString *)text locale:(NSString *)locale {
    if ((self = [super init]) != nil) _text = [text copy], _locale = [locale copy];
    return self;
}
- (NSString *)description { return [NSString stringWithFormat:@"DBLocalizedUserMessage[%@ (%@)]", _text, _locale]; }
- (void)dealloc {
    [_text release], [_locale release];
    [super dealloc];
}
@end

@implementation DBRequestHttpError
@synthesize requestId = _requestId, statusCode = _statusCode, errorContent = _errorContent, userMessage = _userMessage;
- (instancetype)init:(NSString *)requestId
          statusCode:(NSNumber *)statusCode
        errorContent:(NSString *)errorContent
         userMessage:(DBLocalizedUserMessage *)userMessage {
    if ((self = [super init]) != nil) {
        _requestId = [requestId copy], _statusCode = [statusCode retain];
        _errorContent = [errorContent copy], _userMessage = [userMessage retain];
    }
    return self;
}
- (NSString *)description {
    return [NSString stringWithFormat:@"%@[requestId: %@, statusCode: %@, errorContent: %@, userMessage: %@]", [self class],
                                      _requestId, _statusCode, _errorContent, _userMessage];
}
- (void)dealloc {
    [_requestId release], [_statusCode release], [_errorContent release], [_userMessage release];
    [super dealloc];
}
@end

@implementation DBRequestBadInputError
@end

@implementation DBRequestInternalServerError
@end

// Each of these has what the server says in the route's manner, as one more value.
#define DB_STRUCTURED(class, type, name) \
    @implementation class \
    @synthesize name = _##name; \
    -(instancetype)init : (NSString *)requestId statusCode : (NSNumber *)statusCode errorContent : (NSString *)errorContent \
        userMessage : (DBLocalizedUserMessage *)userMessage name : (type *)name { \
        self = [self init:requestId statusCode:statusCode errorContent:errorContent userMessage:userMessage]; \
        if (self != nil) _##name = [(id)name retain]; \
        return self; \
    } \
    -(void)dealloc { \
        [(id)_##name release]; \
        [super dealloc]; \
    } \
    @end
DB_STRUCTURED(DBRequestAuthError, DBAUTHAuthError, structuredAuthError)
DB_STRUCTURED(DBRequestAccessError, DBAUTHAccessError, structuredAccessError)
DB_STRUCTURED(DBRequestPathRootError, DBCOMMONPathRootError, structuredPathRootError)

@implementation DBRequestRateLimitError
@synthesize structuredRateLimitError = _structuredRateLimitError, backoff = _backoff;
- (instancetype)init:(NSString *)requestId
                  statusCode:(NSNumber *)statusCode
                errorContent:(NSString *)errorContent
                 userMessage:(DBLocalizedUserMessage *)userMessage
    structuredRateLimitError:(DBAUTHRateLimitError *)structuredRateLimitError
                     backoff:(NSNumber *)backoff {
    if ((self = [self init:requestId statusCode:statusCode errorContent:errorContent userMessage:userMessage]) != nil)
        _structuredRateLimitError = [(id)structuredRateLimitError retain], _backoff = [backoff retain];
    return self;
}
- (void)dealloc {
    [(id)_structuredRateLimitError release], [_backoff release];
    [super dealloc];
}
@end

@implementation DBRequestClientError
@synthesize nsError = _nsError;
- (instancetype)init:(NSError *)nsError {
    if ((self = [super init]) != nil) _nsError = [nsError retain];
    return self;
}
- (NSString *)description {
    return [NSString stringWithFormat:@"DBRequestClientError[%@ %ld: %@]", [_nsError domain], (long)[_nsError code],
                                      [_nsError localizedDescription]];
}
- (void)dealloc {
    [_nsError release];
    [super dealloc];
}
@end

@implementation DBRequestError
@synthesize requestId = _requestId, statusCode = _statusCode, errorContent = _errorContent, userMessage = _userMessage,
            structuredAuthError = _structuredAuthError, structuredAccessError = _structuredAccessError,
            structuredPathRootError = _structuredPathRootError, structuredRateLimitError = _structuredRateLimitError,
            backoff = _backoff, nsError = _nsError;

- (instancetype)init:(DBRequestErrorTag)tag
                   requestId:(NSString *)requestId
                  statusCode:(NSNumber *)statusCode
                errorContent:(NSString *)errorContent
                 userMessage:(DBLocalizedUserMessage *)userMessage
         structuredAuthError:(DBAUTHAuthError *)structuredAuthError
       structuredAccessError:(DBAUTHAccessError *)structuredAccessError
     structuredPathRootError:(DBCOMMONPathRootError *)structuredPathRootError
    structuredRateLimitError:(DBAUTHRateLimitError *)structuredRateLimitError
                     backoff:(NSNumber *)backoff
                     nsError:(NSError *)nsError {
    if ((self = [super init]) != nil) {
        _kind = (int)tag;
        _requestId = [requestId copy], _statusCode = [statusCode retain], _errorContent = [errorContent copy];
        _userMessage = [userMessage retain], _backoff = [backoff retain], _nsError = [nsError retain];
        _structuredAuthError = [(id)structuredAuthError retain], _structuredAccessError = [(id)structuredAccessError retain];
        _structuredPathRootError = [(id)structuredPathRootError retain];
        _structuredRateLimitError = [(id)structuredRateLimitError retain];
    }
    return self;
}

#define DB_HTTP(kind, auth, access, root, limit, pause) \
    [self init:kind requestId:requestId statusCode:statusCode errorContent:errorContent userMessage:userMessage \
        structuredAuthError:auth structuredAccessError:access structuredPathRootError:root structuredRateLimitError:limit \
        backoff:pause nsError:nil]
#define DB_RESPONSE requestId statusCode:(NSNumber *)statusCode errorContent:(NSString *)errorContent \
    userMessage:(DBLocalizedUserMessage *)userMessage

- (instancetype)initAsHttpError:(NSString *)DB_RESPONSE { return DB_HTTP(DBRequestErrorHttp, nil, nil, nil, nil, nil); }
- (instancetype)initAsBadInputError:(NSString *)DB_RESPONSE { return DB_HTTP(DBRequestErrorBadInput, nil, nil, nil, nil, nil); }
- (instancetype)initAsInternalServerError:(NSString *)DB_RESPONSE {
    return DB_HTTP(DBRequestErrorInternalServer, nil, nil, nil, nil, nil);
}
- (instancetype)initAsAuthError:(NSString *)DB_RESPONSE structuredAuthError:(DBAUTHAuthError *)error {
    return DB_HTTP(DBRequestErrorAuth, error, nil, nil, nil, nil);
}
- (instancetype)initAsAccessError:(NSString *)DB_RESPONSE structuredAccessError:(DBAUTHAccessError *)error {
    return DB_HTTP(DBRequestErrorAccess, nil, error, nil, nil, nil);
}
- (instancetype)initAsPathRootError:(NSString *)DB_RESPONSE structuredPathRootError:(DBCOMMONPathRootError *)error {
    return DB_HTTP(DBRequestErrorPathRoot, nil, nil, error, nil, nil);
}
- (instancetype)initAsRateLimitError:(NSString *)DB_RESPONSE
            structuredRateLimitError:(DBAUTHRateLimitError *)error
                             backoff:(NSNumber *)backoff {
    return DB_HTTP(DBRequestErrorRateLimit, nil, nil, nil, error, backoff);
}
- (instancetype)initAsClientError:(NSError *)nsError {
    return [self init:DBRequestErrorClient requestId:nil statusCode:nil errorContent:nil userMessage:nil structuredAuthError:nil
        structuredAccessError:nil structuredPathRootError:nil structuredRateLimitError:nil backoff:nil nsError:nsError];
}

- (DBRequestErrorTag)tag { return (DBRequestErrorTag)_kind; }
- (BOOL)isHttpError { return _kind == DBRequestErrorHttp; }
- (BOOL)isBadInputError { return _kind == DBRequestErrorBadInput; }
- (BOOL)isAuthError { return _kind == DBRequestErrorAuth; }
- (BOOL)isAccessError { return _kind == DBRequestErrorAccess; }
- (BOOL)isPathRootError { return _kind == DBRequestErrorPathRoot; }
- (BOOL)isRateLimitError { return _kind == DBRequestErrorRateLimit; }
- (BOOL)isInternalServerError { return _kind == DBRequestErrorInternalServer; }
- (BOOL)isClientError { return _kind == DBRequestErrorClient; }

- (void)demand:(DBRequestErrorTag)kind {
    if (_kind != kind)
        [[NSException exceptionWithName:@"IllegalStateException"
                                 reason:[NSString stringWithFormat:@"the error is a %@", [self tagName]] userInfo:nil] raise];
}

#define DB_AS(class, kind, ...) \
    ([self demand:kind], [[[class alloc] init:_requestId statusCode:_statusCode errorContent:_errorContent \
                                  userMessage:_userMessage __VA_ARGS__] autorelease])

- (DBRequestHttpError *)asHttpError { return DB_AS(DBRequestHttpError, DBRequestErrorHttp, ); }
- (DBRequestBadInputError *)asBadInputError { return DB_AS(DBRequestBadInputError, DBRequestErrorBadInput, ); }
- (DBRequestAuthError *)asAuthError {
    return DB_AS(DBRequestAuthError, DBRequestErrorAuth, structuredAuthError:_structuredAuthError);
}
- (DBRequestAccessError *)asAccessError {
    return DB_AS(DBRequestAccessError, DBRequestErrorAccess, structuredAccessError:_structuredAccessError);
}
- (DBRequestPathRootError *)asPathRootError {
    return DB_AS(DBRequestPathRootError, DBRequestErrorPathRoot, structuredPathRootError:_structuredPathRootError);
}
- (DBRequestRateLimitError *)asRateLimitError {
    return DB_AS(DBRequestRateLimitError, DBRequestErrorRateLimit, structuredRateLimitError:_structuredRateLimitError
                 backoff:_backoff);
}
- (DBRequestInternalServerError *)asInternalServerError {
    return DB_AS(DBRequestInternalServerError, DBRequestErrorInternalServer, );
}
- (DBRequestClientError *)asClientError {
    [self demand:DBRequestErrorClient];
    return [[[DBRequestClientError alloc] init:_nsError] autorelease];
}

- (NSString *)tagName {
    static NSString *const names[] = {@"DBRequestErrorHttp", @"DBRequestErrorBadInput", @"DBRequestErrorAuth",
        @"DBRequestErrorPathRoot", @"DBRequestErrorAccess", @"DBRequestErrorRateLimit", @"DBRequestErrorInternalServer",
        @"DBRequestErrorClient"};
    return names[_kind];
}
- (NSString *)description {
    switch ((DBRequestErrorTag)_kind) {
        case DBRequestErrorHttp: return [[self asHttpError] description];
        case DBRequestErrorBadInput: return [[self asBadInputError] description];
        case DBRequestErrorAuth: return [[self asAuthError] description];
        case DBRequestErrorPathRoot: return [[self asPathRootError] description];
        case DBRequestErrorAccess: return [[self asAccessError] description];
        case DBRequestErrorRateLimit: return [[self asRateLimitError] description];
        case DBRequestErrorInternalServer: return [[self asInternalServerError] description];
        case DBRequestErrorClient: return [[self asClientError] description];
    }
    return [super description];
}
- (void)dealloc {
    [_requestId release], [_statusCode release], [_errorContent release], [_userMessage release], [_backoff release];
    [(id)_structuredAuthError release], [(id)_structuredAccessError release], [(id)_structuredPathRootError release];
    [(id)_structuredRateLimitError release], [_nsError release];
    [super dealloc];
}
@end
