// Stored tokens: a file of mode 0600 for each, below $XDG_STATE_HOME/ObjectiveDropboxOfficial/PROGRAM.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

@class DBAccessToken;

NS_ASSUME_NONNULL_BEGIN

@interface DBSDKKeychain : NSObject
+ (BOOL)storeAccessToken:(DBAccessToken *)accessToken;
+ (nullable DBAccessToken *)retrieveTokenWithUid:(NSString *)uid;
+ (NSArray<NSString *> *)retrieveAllTokenIds;
+ (BOOL)deleteTokenWithUid:(NSString *)uid;
+ (BOOL)clearAllTokens;
@end

NS_ASSUME_NONNULL_END
