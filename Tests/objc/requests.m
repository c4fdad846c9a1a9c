// Requests without content: the samples of the README of Dropbox's SDK, lists and pages, queues, waiting for changes.

#import "check.h"

static void printEntries(NSArray<DBFILESMetadata *> *entries, NSMutableArray *names) {
    for (DBFILESMetadata *entry in entries) {
        if ([entry isKindOfClass:[DBFILESFileMetadata class]]) {
            DBFILESFileMetadata *fileMetadata = (DBFILESFileMetadata *)entry;
            [names addObject:[NSString stringWithFormat:@"file %@", fileMetadata.name]];
        } else if ([entry isKindOfClass:[DBFILESFolderMetadata class]]) {
            DBFILESFolderMetadata *folderMetadata = (DBFILESFolderMetadata *)entry;
            [names addObject:[NSString stringWithFormat:@"folder %@", folderMetadata.name]];
        }
    }
}

static void listFolderContinue(DBUserClient *client, NSString *cursor, NSMutableArray *names) {
    [[client.filesRoutes listFolderContinue:cursor]
        setResponseBlock:^(DBFILESListFolderResult *response, DBFILESListFolderContinueError *routeError,
                           DBRequestError *networkError) {
          EXPECT(routeError == nil && networkError == nil);
          printEntries(response.entries, names);
          if ([response.hasMore boolValue]) listFolderContinue(client, response.cursor, names);
          else happened();
        }];
}

void checkRequests(DBUserClient *client) {
    [[client.filesRoutes createFolderV2:@"/objc"]
        setResponseBlock:^(DBFILESCreateFolderResult *result, DBFILESCreateFolderError *routeError, DBRequestError *networkError) {
          EXPECT(result != nil && [result.metadata.pathLower isEqual:@"/objc"]);
          happened();
        }];
    wait(1);
    for (int index = 0; index < 5; index++) {
        [[client.filesRoutes createFolderV2:[NSString stringWithFormat:@"/objc/f%d", index]]
            setResponseBlock:^(DBFILESCreateFolderResult *result, DBFILESCreateFolderError *routeError, DBRequestError *networkError) {
              EXPECT(result.metadata.id_ != nil);
              happened();
            }];
    }
    wait(5);

    // All pages of two entries.
    NSMutableArray *names = [NSMutableArray array];
    [[client.filesRoutes listFolder:@"/objc" recursive:@NO includeMediaInfo:nil includeDeleted:nil includeHasExplicitSharedMembers:nil
                includeMountedFolders:nil limit:@2 sharedLink:nil includePropertyGroups:nil includeNonDownloadableFiles:nil
                includeRestorableInfo:nil]
        setResponseBlock:^(DBFILESListFolderResult *response, DBFILESListFolderError *routeError, DBRequestError *networkError) {
          EXPECT([response.hasMore isEqual:@YES]);
          printEntries(response.entries, names);
          listFolderContinue(client, response.cursor, names);
        }];
    wait(1);
    EXPECT([[names sortedArrayUsingSelector:@selector(compare:)]
        isEqual:(@[ @"folder f0", @"folder f1", @"folder f2", @"folder f3", @"folder f4" ])]);

    // A queue of the program's; and a block that is set after the response has come.
    NSOperationQueue *queue = [[[NSOperationQueue alloc] init] autorelease];
    [[client.filesRoutes listFolder:@""]
        setResponseBlock:^(DBFILESListFolderResult *result, DBFILESListFolderError *routeError, DBRequestError *networkError) {
          EXPECT(result != nil && ![NSThread isMainThread]);
          onMainThread(^{ happened(); });
        } queue:queue];
    DBRpcTask<DBUSERSFullAccount *, DBNilObject *> *late = [client.usersRoutes getCurrentAccount];
    wait(1);
    [late setResponseBlock:^(DBUSERSFullAccount *account, DBNilObject *routeError, DBRequestError *networkError) {
      EXPECT([account.email length] > 0 && [account.name.displayName length] > 0 && networkError == nil);
      EXPECT(account.accountType != nil && [account.emailVerified isKindOfClass:[NSNumber class]]);
      happened();
    }];
    wait(1);

    // Suspended, a response is held back.
    __block BOOL isHere = NO;
    DBRpcTask<DBUSERSSpaceUsage *, DBNilObject *> *held = [client.usersRoutes getSpaceUsage];
    [held suspend];
    [held setResponseBlock:^(DBUSERSSpaceUsage *usage, DBNilObject *routeError, DBRequestError *networkError) {
      EXPECT([usage.allocation isIndividual] || [usage.allocation isTeam]);
      isHere = YES;
      happened();
    }];
    [[client.checkRoutes user:@"echo"] setResponseBlock:^(DBCHECKEchoResult *result, DBCHECKEchoError *error, DBRequestError *networkError) {
      EXPECT([result.result isEqual:@"echo"]);
      happened();
    }];
    wait(1);
    EXPECT(!isHere);
    [held resume];
    wait(1);

    // A route of the program's own, with a list as its result.
    EXPECT((Class)[DBUSERSRouteObjects DBUSERSGetAccountBatch].resultType == [NSArray class]);
    DBRoute *route = [[[DBRoute alloc] init:@"get_space_usage" namespace_:@"users" deprecated:@NO resultType:(Class)[NSArray class]
        errorType:nil attrs:@{@"auth" : @"user", @"host" : @"api", @"style" : @"rpc"} dataStructSerialBlock:nil
        dataStructDeserialBlock:^id(id json) {
          return [DBArraySerializer deserialize:json withBlock:^id(id element) { return [DBUSERSName deserialize:element]; }];
        }] autorelease];
    fault(@"{\"route\":\"users/get_space_usage\",\"kind\":\"respond\",\"status\":200,\"count\":1,\"content_type\":\"application/json\","
           "\"body\":\"[{\\\"given_name\\\":\\\"A\\\",\\\"surname\\\":\\\"B\\\",\\\"familiar_name\\\":\\\"\\\\u00e4\\\","
           "\\\"display_name\\\":\\\"A B\\\",\\\"abbreviated_name\\\":\\\"AB\\\"}]\"}");
    [[client.usersRoutes.client requestRpc:route arg:nil]
        setResponseBlock:^(NSArray<DBUSERSName *> *names, DBNilObject *routeError, DBRequestError *networkError) {
          EXPECT([names count] == 1 && [[[names lastObject] familiarName] isEqual:@"ä"]);
          happened();
        }];
    wait(1);

    // Waiting for a change, which another request makes.
    __block NSString *cursor = nil;
    [[client.filesRoutes listFolderGetLatestCursor:@"/objc"]
        setResponseBlock:^(DBFILESListFolderGetLatestCursorResult *result, DBFILESListFolderError *routeError, DBRequestError *networkError) {
          cursor = [result.cursor retain];
          happened();
        }];
    wait(1);
    EXPECT(cursor != nil);
    [[client.filesRoutes listFolderLongpoll:cursor]
        setResponseBlock:^(DBFILESListFolderLongpollResult *result, DBFILESListFolderLongpollError *routeError, DBRequestError *networkError) {
          EXPECT([result.changes isEqual:@YES]);
          happened();
        }];
    [[client.filesRoutes delete_V2:@"/objc/f4"]
        setResponseBlock:^(DBFILESDeleteResult *result, DBFILESDeleteError *routeError, DBRequestError *networkError) {
          EXPECT([result.metadata.name isEqual:@"f4"]);
          happened();
        }];
    wait(2);
    [cursor release];

    // Jobs of many entries.
    NSArray *moves = @[ [[[DBFILESRelocationPath alloc] initWithFromPath:@"/objc/f0" toPath:@"/objc/g0"] autorelease] ];
    [[client.filesRoutes moveBatchV2:moves]
        setResponseBlock:^(DBFILESRelocationBatchV2Launch *launch, DBNilObject *routeError, DBRequestError *networkError) {
          EXPECT([launch isAsyncJobId] || [launch isComplete]);
          happened();
        }];
    [[client.filesRoutes searchV2:@"g0"]
        setResponseBlock:^(DBFILESSearchV2Result *result, DBFILESSearchError *routeError, DBRequestError *networkError) {
          EXPECT(result.matches != nil);
          happened();
        }];
    wait(2);
}
