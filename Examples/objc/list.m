// Lists a folder of an account, page by page, with what lies in its folders: a program as it is written for Dropbox's SDK for Objective-C.
//   DROPBOX_TOKEN=… ./list /Photos
// DROPBOX_ENDPOINT names another server, such as the emulator.

#import <ObjectiveDropboxOfficial/ObjectiveDropboxOfficial.h>

@interface Listing : NSObject {
    DBUserClient *_client;
    int _status;
    BOOL _isDone;
}
- (id)initWithClient:(DBUserClient *)client;
- (int)list:(NSString *)path;
@end

@implementation Listing
- (id)initWithClient:(DBUserClient *)client {
    if ((self = [super init]) != nil) _client = [client retain];
    return self;
}
- (void)printEntries:(NSArray<DBFILESMetadata *> *)entries {
    for (DBFILESMetadata *entry in entries) {
        if ([entry isKindOfClass:[DBFILESFileMetadata class]]) {
            DBFILESFileMetadata *file = (DBFILESFileMetadata *)entry;
            printf("%12llu %s\n", [file.size unsignedLongLongValue], [file.pathDisplay UTF8String]);
        } else if ([entry isKindOfClass:[DBFILESFolderMetadata class]]) {
            printf("%12s %s\n", "folder", [entry.pathDisplay UTF8String]);
        }
    }
}
- (void)failWithRouteError:(id)routeError networkError:(DBRequestError *)networkError {
    fprintf(stderr, "%s\n", [[(routeError == nil ? networkError : routeError) description] UTF8String]);
    _status = 1;
    _isDone = YES;
}
- (void)take:(DBFILESListFolderResult *)result {
    [self printEntries:result.entries];
    if ([result.hasMore boolValue]) [self listOn:result.cursor];
    else _isDone = YES;
}
- (void)listOn:(NSString *)cursor {
    [[_client.filesRoutes listFolderContinue:cursor]
        setResponseBlock:^(DBFILESListFolderResult *result, DBFILESListFolderContinueError *routeError, DBRequestError *networkError) {
          if (result != nil) [self take:result];
          else [self failWithRouteError:routeError networkError:networkError];
        }];
}
- (int)list:(NSString *)path {
    [[_client.filesRoutes listFolder:[path isEqual:@"/"] ? @"" : path recursive:@YES includeMediaInfo:nil includeDeleted:nil includeHasExplicitSharedMembers:nil
                includeMountedFolders:nil limit:nil sharedLink:nil includePropertyGroups:nil includeNonDownloadableFiles:nil
                includeRestorableInfo:nil]
        setResponseBlock:^(DBFILESListFolderResult *result, DBFILESListFolderError *routeError, DBRequestError *networkError) {
          if (result != nil) [self take:result];
          else [self failWithRouteError:routeError networkError:networkError];
        }];
    while (!_isDone) {
        @autoreleasepool {
            [[NSRunLoop mainRunLoop] runMode:NSDefaultRunLoopMode beforeDate:[NSDate distantFuture]];
        }
    }
    return _status;
}
- (void)dealloc {
    [_client release];
    [super dealloc];
}
@end

int main(int count, const char **arguments) {
    @autoreleasepool {
        NSDictionary *environment = [[NSProcessInfo processInfo] environment];
        NSString *token = [environment objectForKey:@"DROPBOX_TOKEN"], *server = [environment objectForKey:@"DROPBOX_ENDPOINT"];
        if (count != 2 || token == nil) {
            fprintf(stderr, "usage: DROPBOX_TOKEN=… %s FOLDER\n", arguments[0]);
            return 64;
        }
        DBTransportBaseHostnameConfig *hosts = server == nil ? nil
            : [[[DBTransportBaseHostnameConfig alloc] initWithMeta:server api:server content:server notify:server] autorelease];
        DBTransportDefaultConfig *config = [[[DBTransportDefaultConfig alloc] initWithAppKey:@"" appSecret:nil hostnameConfig:hosts
            userAgent:@"list" asMemberId:nil additionalHeaders:nil delegateQueue:nil forceForegroundSession:YES
            sharedContainerIdentifier:nil] autorelease];
        DBUserClient *client = [[[DBUserClient alloc] initWithAccessToken:token transportConfig:config] autorelease];
        Listing *listing = [[[Listing alloc] initWithClient:client] autorelease];
        return [listing list:[NSString stringWithUTF8String:arguments[1]]];
    }
}
