// Failures: the samples of the README of Dropbox's SDK, each kind that the emulator can cause, global handlers, restarts, and cancelling.

#import "check.h"

static void checkRouteErrors(DBUserClient *client) {
    [[client.filesRoutes delete_V2:@"/objc/nowhere"]
        setResponseBlock:^(DBFILESDeleteResult *result, DBFILESDeleteError *routeError, DBRequestError *networkError) {
          EXPECT(result == nil);
          if ([routeError isPathLookup]) {
              DBFILESLookupError *pathLookup = routeError.pathLookup;
              EXPECT([pathLookup isNotFound]);
          } else {
              EXPECT(NO);
          }
          EXPECT([networkError isHttpError] && [[networkError asHttpError].errorContent hasPrefix:@"path_lookup/not_found"]);
          EXPECT([[networkError requestId] length] > 0 && raises(^{ [networkError asAuthError]; }));
          happened();
        }];
    wait(1);
}

/// Asks for the account with a fault, and gives the failure.
static DBRequestError *failure(DBUserClient *client, NSString *kind) {
    fault([NSString stringWithFormat:@"{\"route\":\"users/get_current_account\",\"count\":1,%@}", kind]);
    __block DBRequestError *failure = nil;
    [[client.usersRoutes getCurrentAccount] setResponseBlock:^(DBUSERSFullAccount *account, DBNilObject *error, DBRequestError *networkError) {
      EXPECT(account == nil && error == nil);
      failure = [networkError retain];
      happened();
    }];
    wait(1);
    EXPECT(failure != nil && [[failure description] length] > 0);
    return [failure autorelease];
}

static void checkKinds(DBUserClient *client) {
    DBRequestError *error = failure(client, @"\"kind\":\"server_error\",\"status\":503,\"body\":\"busy\"");
    EXPECT([error isInternalServerError] && [[error asInternalServerError].statusCode isEqual:@503]);
    error = failure(client, @"\"kind\":\"respond\",\"status\":400,\"body\":\"bad input\",\"content_type\":\"text/plain\"");
    EXPECT([error isBadInputError] && [[error asBadInputError].errorContent isEqual:@"bad input"]);
    error = failure(client, @"\"kind\":\"invalid_token\"");
    EXPECT([error isAuthError] && [[error asAuthError].structuredAuthError isInvalidAccessToken]);
    error = failure(client, @"\"kind\":\"missing_scope\",\"scope\":\"account_info.read\"");
    EXPECT([error isAuthError] && [[error asAuthError].structuredAuthError isMissingScope]);
    EXPECT([error.structuredAuthError.missingScope.requiredScope isEqual:@"account_info.read"]);
    error = failure(client, @"\"kind\":\"respond\",\"status\":403,\"body\":\"{\\\"error_summary\\\":\\\"x/\\\",\\\"error\\\":{\\\".tag\\\":\\\"invalid_account_type\\\","
                            @"\\\"invalid_account_type\\\":{\\\".tag\\\":\\\"endpoint\\\"}}}\"");
    EXPECT([error isAccessError] && [[error asAccessError].structuredAccessError.invalidAccountType isEndpoint]);
    error = failure(client, @"\"kind\":\"invalid_root\"");
    EXPECT([error isPathRootError] && [[error asPathRootError].structuredPathRootError isInvalidRoot]);
    error = failure(client, @"\"kind\":\"respond\",\"status\":418,\"body\":\"{}\"");
    EXPECT([error isHttpError] && [error.statusCode isEqual:@418]);
    error = failure(client, @"\"kind\":\"respond\",\"status\":200,\"body\":\"{\\\"account_id\\\":5}\"");
    EXPECT([error isClientError] && [[error asClientError].nsError.domain isEqual:DBErrorDomain]);
    error = failure(client, @"\"kind\":\"cut_body\",\"at\":10");
    EXPECT([error isClientError] && [error.nsError.domain isEqual:NSURLErrorDomain]);
}

static void checkGlobalHandlers(DBUserClient *client) {
    __block int folderErrors = 0, lookups = 0, networkErrors = 0;
    void (^listFolderGlobalResponseBlock)(DBFILESListFolderError *, DBRequestError *, DBTask *) =
        ^(DBFILESListFolderError *folderError, DBRequestError *networkError, DBTask *restartTask) {
          EXPECT([folderError isPath]);
          folderErrors++;
          happened();
        };
    [DBGlobalErrorResponseHandler registerRouteErrorResponseBlock:listFolderGlobalResponseBlock routeErrorType:[DBFILESListFolderError class]];
    [DBGlobalErrorResponseHandler registerRouteErrorResponseBlock:^(DBFILESLookupError *error, DBRequestError *networkError, DBTask *task) {
      EXPECT([error isNotFound]);
      lookups++;
      happened();
    } routeErrorType:[DBFILESLookupError class]];
    // Requests are repeated after a pause, as in the README's sample.
    [DBGlobalErrorResponseHandler registerNetworkErrorResponseBlock:^(DBRequestError *networkError, DBTask *restartTask) {
      networkErrors++;
      if ([networkError isRateLimitError]) {
          DBRequestRateLimitError *rateLimitError = [networkError asRateLimitError];
          [restartTask performSelector:@selector(restart) withObject:nil afterDelay:[rateLimitError.backoff doubleValue]];
      }
    }];
    [[client.filesRoutes listFolder:@"/objc/nowhere"]
        setResponseBlock:^(DBFILESListFolderResult *result, DBFILESListFolderError *routeError, DBRequestError *networkError) {
          EXPECT([routeError.path isNotFound]);
          happened();
        }];
    wait(3);
    EXPECT(folderErrors == 1 && lookups == 1 && networkErrors == 0);

    fault(@"{\"route\":\"users/get_space_usage\",\"kind\":\"rate_limited\",\"reason\":\"too_many_requests\",\"retry_after\":1,\"count\":1}");
    __block int answers = 0;
    [[client.usersRoutes getSpaceUsage] setResponseBlock:^(DBUSERSSpaceUsage *usage, DBNilObject *error, DBRequestError *networkError) {
      EXPECT(answers == 0 ? [networkError isRateLimitError] : usage != nil);
      answers++;
      happened();
    }];
    wait(2);
    EXPECT(answers == 2 && networkErrors == 1);
    [DBGlobalErrorResponseHandler removeNetworkErrorResponseBlock];
    [DBGlobalErrorResponseHandler removeRouteErrorResponseBlockWithRouteErrorType:[DBFILESListFolderError class]];
    [DBGlobalErrorResponseHandler removeRouteErrorResponseBlockWithRouteErrorType:[DBFILESLookupError class]];
}

/// A stream can be read once; the request that it was for is sent twice.
static void checkRestart(DBUserClient *client) {
    fault(@"{\"route\":\"files/upload\",\"kind\":\"server_error\",\"status\":500,\"count\":1}");
    NSData *text = [@"from a stream" dataUsingEncoding:NSUTF8StringEncoding];
    __block int answers = 0;
    DBUploadTask *task = [client.filesRoutes uploadStream:@"/objc/again" inputStream:[NSInputStream inputStreamWithData:text]];
    [task setResponseBlock:^(DBFILESFileMetadata *result, DBFILESUploadError *routeError, DBRequestError *networkError) {
      EXPECT(answers == 0 ? [networkError isInternalServerError] : [result.size isEqual:@13]);
      answers++;
      happened();
    }];
    wait(1);
    EXPECT([task retryCount] == 0 && [[task restart] retryCount] == 1);
    wait(1);
    EXPECT(answers == 2);
}

static void checkCancelling(DBUserClient *client) {
    fault(@"{\"route\":\"users/get_space_usage\",\"kind\":\"stall\",\"seconds\":50,\"count\":1}");
    DBRpcTask *task = [client.usersRoutes getSpaceUsage];
    [task setResponseBlock:^(DBUSERSSpaceUsage *usage, DBNilObject *error, DBRequestError *networkError) {
      EXPECT([networkError isClientError] && networkError.nsError.code == NSURLErrorCancelled);
      happened();
    }];
    [task cancel];
    wait(1);
    DBTasksStorage *tasks = [[[DBTasksStorage alloc] init] autorelease];
    fault(@"{\"route\":\"files/download\",\"kind\":\"stall\",\"seconds\":50,\"count\":1}");
    DBDownloadDataTask *download = [client.filesRoutes downloadData:@"/objc/my_output.txt"];
    [download setResponseBlock:^(id result, id routeError, DBRequestError *networkError, NSData *data) {
      EXPECT(networkError.nsError.code == NSURLErrorCancelled && data == nil);
      happened();
    }];
    [tasks addDownloadDataTask:download];
    EXPECT([tasks tasksInProgress]);
    [tasks cancelAllTasks];
    wait(1);
    [tasks removeDownloadDataTask:download];
    EXPECT(![tasks tasksInProgress]);
}

/// Last, because the client sends nothing while the server's pause lasts.
static void checkRateLimit(DBUserClient *client) {
    DBRequestError *error = failure(client, @"\"kind\":\"rate_limited\",\"reason\":\"too_many_requests\",\"retry_after\":1");
    EXPECT([error isRateLimitError] && [[error asRateLimitError].backoff doubleValue] > 0);
    EXPECT([[error asRateLimitError].structuredRateLimitError.reason isTooManyRequests]);
}

void checkErrors(DBUserClient *client) {
    checkRouteErrors(client);
    checkKinds(client);
    checkGlobalHandlers(client);
    checkRestart(client);
    checkCancelling(client);
    checkRateLimit(client);
}
