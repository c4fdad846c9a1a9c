// A program that is written for SwiftyDropboxObjC, against the emulator: the requests of its README, content, unions, failures.

#import <SwiftyDropboxObjC/SwiftyDropboxObjC-Swift.h>
#import <stdio.h>
#import <stdlib.h>

static int failures = 0, arrived = 0;

#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            failures++; \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
        } \
    } while (0)

static void wait(void) {
    NSDate *end = [NSDate dateWithTimeIntervalSinceNow:300];
    while (arrived == 0 && [end timeIntervalSinceNow] > 0)
        [[NSRunLoop mainRunLoop] runMode:NSDefaultRunLoopMode beforeDate:[NSDate dateWithTimeIntervalSinceNow:0.1]];
    if (arrived == 0) fprintf(stderr, "nothing has come\n"), exit(1);
    arrived--;
}

static void checkTypes(void) {
    // A tag is a class; the value is the same as one that was read.
    DBXTeamUserSelectorArgEmail *email = [[[DBXTeamUserSelectorArgEmail alloc] init:@"some@email.com"] autorelease];
    EXPECT([email.email isEqual:@"some@email.com"] && email.asEmail == email && email.asExternalId == nil);
    DBXTeamUserSelectorArg *same =
        [DBXTeamUserSelectorArg deserialize:[NSDictionary dictionaryWithObjectsAndKeys:@"email", @".tag", @"some@email.com", @"email", nil]];
    EXPECT([same.asEmail.email isEqual:@"some@email.com"] && [same isEqual:email] && [email isEqual:same]);
    EXPECT([[DBXTeamUserSelectorArg serialize:email] isEqual:[DBXTeamUserSelectorArg serialize:same]]);
    DBXFilesWriteModeOverwrite *overwrite = [[[DBXFilesWriteModeOverwrite alloc] init] autorelease];
    EXPECT(overwrite.asOverwrite == overwrite && overwrite.asAdd == nil);
    // Names that C or the owner of a result changes in the Objective-C library.
    DBXSharingLinkAudiencePublic_ *audience = [[[DBXSharingLinkAudiencePublic_ alloc] init] autorelease];
    EXPECT(audience.asPublic_ != nil && audience.asTeam == nil);
    DBXFilesSyncSettingDefault_ *setting = [[[DBXFilesSyncSettingDefault_ alloc] init] autorelease];
    DBXFilesContentSyncSetting *content = [[[DBXFilesContentSyncSetting alloc] initWithId:@"id:a" syncSetting:setting] autorelease];
    EXPECT([content.id isEqual:@"id:a"] && content.syncSetting.asDefault_ != nil);
    DBXFilesRelocationArg *move = [[[DBXFilesRelocationArg alloc] initFromPath:@"/a" toPath:@"/b" allowSharedFolder:@NO autorename:@NO
                                                       allowOwnershipTransfer:@NO] autorelease];
    EXPECT([move.fromPath isEqual:@"/a"] && [move.toPath isEqual:@"/b"]);
    DBXScopeRequest *scopes = [[[DBXScopeRequest alloc] initWithScopeType:DBXScopeTypeUser scopes:@[ @"files.content.read", @"sharing.write" ]
                                                     includeGrantedScopes:NO] autorelease];
    EXPECT([scopes.scopeString isEqual:@"files.content.read sharing.write"] && scopes.scopeType == DBXScopeTypeUser);
}

static void checkRequests(void) {
    DBXFilesRoutes *files = DBXDropboxClientsManager.authorizedClient.files;
    [[files createFolderV2WithPath:@"/swifty"]
        responseWithCompletionHandler:^(DBXFilesCreateFolderResult *_Nullable result, DBXFilesCreateFolderError *_Nullable routeError,
                                        DBXCallError *_Nullable error) {
          EXPECT([result.metadata.name isEqual:@"swifty"] && routeError == nil && error == nil);
          arrived++;
        }];
    wait();
    [[files createFolderV2WithPath:@"/swifty"]
        responseWithCompletionHandler:^(DBXFilesCreateFolderResult *_Nullable result, DBXFilesCreateFolderError *_Nullable routeError,
                                        DBXCallError *_Nullable error) {
          EXPECT(result == nil && error == nil && routeError.asPath.path.asConflict.conflict.asFolder != nil);
          EXPECT(routeError.asPath.path.asNoWritePermission == nil);
          arrived++;
        }];
    wait();
    NSOperationQueue *queue = [[[NSOperationQueue alloc] init] autorelease];
    __block BOOL isHere = NO;
    [[files listFolderWithPath:@""] responseWithQueue:queue
                                    completionHandler:^(DBXFilesListFolderResult *result, DBXFilesListFolderError *routeError,
                                                        DBXCallError *error) {
                                      EXPECT([result.entries count] > 0 && ![NSThread isMainThread]);
                                      isHere = YES;
                                    }];
    while (!isHere) [NSThread sleepForTimeInterval:0.01];
    // A route without a result has one value less, and one without any error of its own two.
    [[files permanentlyDeleteWithPath:@"/nowhere"]
        responseWithCompletionHandler:^(DBXFilesDeleteError *_Nullable routeError, DBXCallError *_Nullable error) {
          EXPECT(routeError != nil || error != nil);
          arrived++;
        }];
    wait();
    [[DBXDropboxClientsManager.authorizedClient.check userWithQuery:@"hello"]
        responseWithCompletionHandler:^(DBXCheckEchoResult *_Nullable result, DBXCheckEchoError *_Nullable routeError,
                                        DBXCallError *_Nullable error) {
          EXPECT([result.result isEqual:@"hello"] && error == nil);
          arrived++;
        }];
    wait();
    [[DBXDropboxClientsManager.authorizedClient.users getCurrentAccount]
        responseWithCompletionHandler:^(DBXUsersFullAccount *_Nullable account, DBXCallError *_Nullable error) {
          EXPECT([account.email length] > 0);
          arrived++;
        }];
    wait();
}

static void checkContent(NSString *folder) {
    DBXFilesRoutes *files = DBXDropboxClientsManager.authorizedClient.files;
    NSData *data = [@"what a program has written" dataUsingEncoding:NSUTF8StringEncoding];
    NSString *source = [folder stringByAppendingPathComponent:@"swifty-source"];
    [data writeToFile:source atomically:YES];
    DBXFilesUploadUploadRequest *request = [[files uploadDataWithPath:@"/swifty/a" input:data] persistingStringWithString:@"mine"];
    EXPECT([[request clientPersistedString] isEqual:@"mine"] && [request isKindOfClass:[DBXFilesUploadUploadRequest class]]);
    [request responseWithCompletionHandler:^(DBXFilesFileMetadata *_Nullable result, DBXFilesUploadError *_Nullable routeError,
                                             DBXCallError *_Nullable error) {
      EXPECT([result.size intValue] == (int)[data length] && [result.id length] > 0);
      arrived++;
    }];
    wait();
    [[files uploadURLWithPath:@"/swifty/b" input:[NSURL fileURLWithPath:source]]
        responseWithCompletionHandler:^(DBXFilesFileMetadata *_Nullable result, DBXFilesUploadError *_Nullable routeError,
                                        DBXCallError *_Nullable error) {
          EXPECT([result.name isEqual:@"b"]);
          arrived++;
        }];
    wait();
    [[files copyV2FromPath:@"/swifty/b" toPath:@"/swifty/c"]
        responseWithCompletionHandler:^(DBXFilesRelocationResult *_Nullable result, DBXFilesRelocationError *_Nullable routeError,
                                        DBXCallError *_Nullable error) {
          EXPECT([result.metadata isKindOfClass:[DBXFilesFileMetadata class]]);
          arrived++;
        }];
    wait();
    NSURL *place = [NSURL fileURLWithPath:[folder stringByAppendingPathComponent:@"swifty-place"]];
    __block int64_t told = 0;
    [[[files downloadURLWithPath:@"/swifty/c" overwrite:YES destination:place] progress:^(NSProgress *progress) {
      told = progress.completedUnitCount;
    }] responseWithCompletionHandler:^(DBXFilesFileMetadata *_Nullable result, NSURL *_Nullable destination,
                                       DBXFilesDownloadError *_Nullable routeError, DBXCallError *_Nullable error) {
      EXPECT([destination isEqual:place] && [[NSData dataWithContentsOfURL:place] isEqual:data]);
      arrived++;
    }];
    wait();
    EXPECT(told == (int64_t)[data length]);
    [[files downloadWithPath:@"/swifty/c"]
        responseWithCompletionHandler:^(DBXFilesFileMetadata *_Nullable result, NSData *_Nullable received,
                                        DBXFilesDownloadError *_Nullable routeError, DBXCallError *_Nullable error) {
          EXPECT([received isEqual:data] && [result.name isEqual:@"c"]);
          arrived++;
        }];
    wait();
    [[files downloadWithPath:@"/swifty/nothing"]
        responseWithCompletionHandler:^(DBXFilesFileMetadata *_Nullable result, NSData *_Nullable received,
                                        DBXFilesDownloadError *_Nullable routeError, DBXCallError *_Nullable error) {
          EXPECT(result == nil && received == nil && error == nil && routeError.asPath.path.asNotFound != nil);
          arrived++;
        }];
    wait();
}

static void checkFailures(DBXBaseHosts *hosts) {
    DBXDropboxTransportClient *transport = [[[DBXDropboxTransportClient alloc] initWithAccessToken:@"nobody's" baseHosts:hosts userAgent:nil
                                                                                        selectUser:nil sessionConfiguration:nil
                                                                        longpollSessionConfiguration:nil filesAccess:nil
                                                                              authChallengeHandler:nil pathRoot:nil] autorelease];
    DBXDropboxClient *client = [[[DBXDropboxClient alloc] initWithTransportClient:transport] autorelease];
    [[client.users getSpaceUsage] responseWithCompletionHandler:^(DBXUsersSpaceUsage *_Nullable result, DBXCallError *_Nullable error) {
      DBXAuthError *failure = error.asAuthError;
      EXPECT(result == nil && failure.error.asInvalidAccessToken != nil && [failure.requestId length] > 0);
      EXPECT(error.asHttpError == nil && error.asClientError == nil && [error.description length] > 0);
      arrived++;
    }];
    wait();
    DBXUsersGetSpaceUsageRpcRequest *cancelled = [DBXDropboxClientsManager.authorizedClient.users getSpaceUsage];
    [cancelled cancel];
    [cancelled responseWithCompletionHandler:^(DBXUsersSpaceUsage *_Nullable result, DBXCallError *_Nullable error) {
      EXPECT(result != nil || [error.asClientError.error code] == NSURLErrorCancelled);
      arrived++;
    }];
    wait();
    BOOL isRefused = NO;
    @try {
        [[DBXDropboxClient alloc] initWithAccessToken:@"a" selectUser:nil sessionConfiguration:@"one" pathRoot:nil];
    } @catch (NSException *exception) {
        isRefused = YES;
    }
    EXPECT(isRefused);
}

int main(int count, char **arguments) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    if (count != 4) {
        fprintf(stderr, "usage: program ADDRESS TOKEN FOLDER\n");
        return 2;
    }
    NSString *address = [NSString stringWithUTF8String:arguments[1]];
    DBXBaseHosts *hosts = [[[DBXBaseHosts alloc] initWithApiHost:address contentHost:address notifyHost:address] autorelease];
    DBXDropboxTransportClient *transport =
        [[[DBXDropboxTransportClient alloc] initWithAccessToken:[NSString stringWithUTF8String:arguments[2]] baseHosts:hosts
                                                      userAgent:@"program" selectUser:nil sessionConfiguration:nil
                                   longpollSessionConfiguration:nil filesAccess:nil authChallengeHandler:nil pathRoot:nil] autorelease];
    DBXDropboxClientsManager.authorizedClient = [[[DBXDropboxClient alloc] initWithTransportClient:transport] autorelease];
    checkTypes();
    checkRequests();
    checkContent([NSString stringWithUTF8String:arguments[3]]);
    checkFailures(hosts);
    [DBXDropboxClientsManager resetClients];
    EXPECT(DBXDropboxClientsManager.authorizedClient == nil);
    [pool release];
    if (failures > 0) fprintf(stderr, "%d expectations failed\n", failures);
    return failures > 0;
}
