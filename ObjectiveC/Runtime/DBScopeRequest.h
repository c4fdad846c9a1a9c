// Which permissions a login asks for.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSUInteger, DBScopeType) {
    DBScopeTypeTeam = 0,
    DBScopeTypeUser,
};

@interface DBScopeRequest : NSObject {
    DBScopeType _scopeType;
    NSArray *_scopes;
    BOOL _includeGrantedScopes;
}
- (instancetype)init NS_UNAVAILABLE;
/// No scopes stand for all of the app's. The permissions that were granted before cannot be included: `includeGrantedScopes` has to be NO.
- (instancetype)initWithScopeType:(DBScopeType)scopeType
                           scopes:(NSArray<NSString *> *)scopes
             includeGrantedScopes:(BOOL)includeGrantedScopes NS_DESIGNATED_INITIALIZER;
@end

NS_ASSUME_NONNULL_END
