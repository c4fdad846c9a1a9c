// Names of the library. The version is that of the interface: of Dropbox's SDK whose names these are.

#import "DBSDKConstants.h"

NSString *const kDBSDKVersion = @"7.4.1";
NSString *const kDBSDKDefaultUserAgentPrefix = @"ObjectiveC-on-libdropbox";
