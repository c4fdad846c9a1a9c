// The data of the tests of SwiftyDropboxObjC, which are in Swift there, and a client for the emulator. Compiled with copies of their files by
// Scripts/run-objective-c-tests.

#import "XCTest.h"
#import <SwiftyDropboxObjC/SwiftyDropboxObjC.h>

/// Their data is that of a class, and some of it is changed by tests of teams.
#define DBX_TEXT(name, setter) \
    +(NSString *)name; \
    +(void)setter : (NSString *)value;

@interface DBXTestData : NSObject
+ (NSString *)testId;
+ (NSString *)baseFolder;
+ (NSString *)testFolderPath;
+ (NSString *)testShareFolderPath;
+ (NSString *)testFileName;
+ (NSString *)testFilePath;
+ (NSData *)fileData;
+ (NSURL *)destURL;
+ (NSString *)groupName;
+ (NSString *)groupExternalId;
+ (NSString *)groupExternalIdDashObjc;
DBX_TEXT(accountId, setAccountId)
DBX_TEXT(accountId2, setAccountId2)
DBX_TEXT(accountId3, setAccountId3)
DBX_TEXT(accountId3Email, setAccountId3Email)
DBX_TEXT(teamMemberEmail, setTeamMemberEmail)
DBX_TEXT(newMemberEmail, setNewMemberEmail)
@end

/// Makes the client of DBXDropboxClientsManager one of the emulator's.
void authorizeForEmulator(void);
