// Names of the library.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

FOUNDATION_EXPORT NSString *const kDBSDKVersion;
FOUNDATION_EXPORT NSString *const kDBSDKDefaultUserAgentPrefix;
