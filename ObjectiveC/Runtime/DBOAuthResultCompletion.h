// The block that gets the end of a login.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

@class DBOAuthResult;

typedef void (^DBOAuthCompletion)(DBOAuthResult *_Nullable);
