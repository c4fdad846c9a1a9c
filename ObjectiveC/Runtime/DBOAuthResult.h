// The end of a login, or of a token's renewal.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

@class DBAccessToken;

NS_ASSUME_NONNULL_BEGIN

@interface DBOAuthResult : NSObject {
    int _kind, _type;
    DBAccessToken *_accessToken;
    NSString *_errorDescription;
}
typedef NS_ENUM(NSInteger, DBOAuthResultTag) {
    DBAuthSuccess,
    DBAuthError,
    DBAuthCancel,
};
typedef NS_ENUM(NSInteger, DBOAuthErrorType) {
    DBAuthUnauthorizedClient,
    DBAuthAccessDenied,
    DBAuthUnsupportedResponseType,
    DBAuthInvalidScope,
    DBAuthServerError,
    DBAuthTemporarilyUnavailable,
    DBAuthInvalidRequest,
    DBAuthInvalidClient,
    DBAuthInvalidGrant,
    DBAuthUnsupportedGrantType,
    DBAuthInconsistentState,
    DBAuthUnknown,
};
@property (nonatomic, readonly) DBOAuthResultTag tag;
@property (nonatomic, readonly) DBAccessToken *accessToken;
@property (nonatomic, readonly) DBOAuthErrorType errorType;
@property (nonatomic, readonly, copy) NSString *errorDescription;
@property (nonatomic, readonly) NSError *nsError;
- (instancetype)initWithSuccess:(DBAccessToken *)accessToken;
- (instancetype)initWithError:(NSString *)errorType errorDescription:(nullable NSString *)errorDescription;
- (instancetype)initWithCancel;
+ (DBOAuthResult *)unknownErrorWithErrorDescription:(nullable NSString *)errorDescription;
- (BOOL)isSuccess;
- (BOOL)isError;
- (BOOL)isCancel;
- (NSString *)tagName;
- (NSString *)description;
@end

NS_ASSUME_NONNULL_END
