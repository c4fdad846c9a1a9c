// Who has the token of a request.

#import <Foundation/Foundation.h>
#import "DBOAuthResultCompletion.h"

@class DBAccessToken, DBOAuthManager;

NS_ASSUME_NONNULL_BEGIN

@protocol DBAccessTokenProvider <NSObject>
@property (nonatomic, readonly) NSString *accessToken;
/// Called before each request. The completion gets nil if `accessToken` is still good, else the new token or the failure.
- (void)refreshAccessTokenIfNecessary:(DBOAuthCompletion)completion;
@end

/// A token that does not change.
@interface DBLongLivedAccessTokenProvider : NSObject <DBAccessTokenProvider> {
    NSString *_accessToken;
}
- (instancetype)initWithTokenString:(NSString *)tokenString;
@end

/// The provider for a token: one that renews it if it can be renewed.
id<DBAccessTokenProvider> DBProviderOfToken(DBAccessToken *token, DBOAuthManager *manager);

NS_ASSUME_NONNULL_END
