// The end of a login, or of a token's renewal.

#import "DBOAuthResult.h"
#import "DBOAuthManager.h"
#import "DBRequestErrors.h"

@implementation DBOAuthResult
@synthesize accessToken = _accessToken, errorDescription = _errorDescription;

+ (NSArray *)errorNames {
    return [NSArray arrayWithObjects:@"unauthorized_client", @"access_denied", @"unsupported_response_type", @"invalid_scope",
        @"server_error", @"temporarily_unavailable", @"invalid_request", @"invalid_client", @"invalid_grant",
        @"unsupported_grant_type", @"inconsistent_state", nil];
}
- (instancetype)initWithSuccess:(DBAccessToken *)accessToken {
    if ((self = [super init]) != nil) _kind = DBAuthSuccess, _type = DBAuthUnknown, _accessToken = [accessToken retain];
    return self;
}
- (instancetype)initWithError:(NSString *)errorType errorDescription:(NSString *)errorDescription {
    if ((self = [super init]) != nil) {
        NSUInteger place = [[[self class] errorNames] indexOfObject:errorType];
        _kind = DBAuthError;
        _type = place == NSNotFound ? DBAuthUnknown : (int)place;
        _errorDescription = [errorDescription copy];
    }
    return self;
}
- (instancetype)initWithCancel {
    if ((self = [super init]) != nil) _kind = DBAuthCancel, _type = DBAuthUnknown;
    return self;
}
+ (DBOAuthResult *)unknownErrorWithErrorDescription:(NSString *)errorDescription {
    return [[[self alloc] initWithError:@"unknown" errorDescription:errorDescription] autorelease];
}
- (DBOAuthResultTag)tag { return (DBOAuthResultTag)_kind; }
- (DBOAuthErrorType)errorType { return (DBOAuthErrorType)_type; }
- (NSError *)nsError {
    NSDictionary *info = [NSDictionary dictionaryWithObjectsAndKeys:_errorDescription == nil ? @"" : _errorDescription,
                                                                    NSLocalizedDescriptionKey, nil];
    return [NSError errorWithDomain:DBErrorDomain code:_type userInfo:info];
}
- (BOOL)isSuccess { return _kind == DBAuthSuccess; }
- (BOOL)isError { return _kind == DBAuthError; }
- (BOOL)isCancel { return _kind == DBAuthCancel; }
- (NSString *)tagName {
    return _kind == DBAuthSuccess ? @"DBAuthSuccess" : _kind == DBAuthError ? @"DBAuthError" : @"DBAuthCancel";
}
- (NSString *)description {
    if (_kind != DBAuthError) return [self tagName];
    NSArray *names = [[self class] errorNames];
    return [NSString stringWithFormat:@"DBAuthError[%@: %@]", _type < (int)[names count] ? [names objectAtIndex:(NSUInteger)_type]
                                                                                         : @"unknown", _errorDescription];
}
- (void)dealloc {
    [_accessToken release], [_errorDescription release];
    [super dealloc];
}
@end
