// The data of the tests of SwiftyDropboxObjC, and a client for the emulator.

#import "DBXTestData.h"
#undef DBX_TEXT
#define DBX_TEXT(name, setter) \
    static NSString *name; \
    +(NSString *)name { return name; } \
    +(void)setter : (NSString *)value { name = [value copy]; }

@implementation DBXTestData
+ (NSString *)testId { return @"1"; }
+ (NSString *)baseFolder { return @"/Testing/SwiftyDropboxTests"; }
+ (NSString *)testFolderPath { return [self.baseFolder stringByAppendingString:@"/testFolder_1"]; }
+ (NSString *)testShareFolderPath { return [self.baseFolder stringByAppendingString:@"/testShareFolder_1"]; }
+ (NSString *)testFileName { return @"testFile"; }
+ (NSString *)testFilePath { return [self.testFolderPath stringByAppendingPathComponent:self.testFileName]; }
+ (NSData *)fileData { return [@"testing data example" dataUsingEncoding:NSUTF8StringEncoding]; }
+ (NSURL *)destURL {
    NSURL *folder = [[[NSFileManager defaultManager] URLsForDirectory:NSDocumentDirectory inDomains:NSUserDomainMask] objectAtIndex:0];
    return [NSURL fileURLWithPath:[[folder path] stringByAppendingPathComponent:self.testFileName]];
}
+ (NSString *)groupName { return @"GroupName1"; }
+ (NSString *)groupExternalId { return @"group-1"; }
+ (NSString *)groupExternalIdDashObjc { return @"group-1-objc"; }
DBX_TEXT(accountId, setAccountId)
DBX_TEXT(accountId2, setAccountId2)
DBX_TEXT(accountId3, setAccountId3)
DBX_TEXT(accountId3Email, setAccountId3Email)
DBX_TEXT(teamMemberEmail, setTeamMemberEmail)
DBX_TEXT(newMemberEmail, setNewMemberEmail)
@end

void authorizeForEmulator(void) {
    NSString *address = [[[NSProcessInfo processInfo] environment] objectForKey:@"EMULATOR"];
    DBXBaseHosts *hosts = [[DBXBaseHosts alloc] initWithApiHost:address contentHost:address notifyHost:address];
    DBXDropboxTransportClient *transport = [[DBXDropboxTransportClient alloc] initWithAccessToken:@"own" baseHosts:hosts userAgent:nil
                                                                                       selectUser:nil sessionConfiguration:nil
                                                                       longpollSessionConfiguration:nil filesAccess:nil
                                                                             authChallengeHandler:nil pathRoot:nil];
    DBXDropboxClientsManager.authorizedClient = [[DBXDropboxClient alloc] initWithTransportClient:transport];
}
