// Uploads and downloads: the samples of the README of Dropbox's SDK, with data, files, streams, ranges, progress, and batches.

#import "check.h"
#import <stdlib.h>
#import <unistd.h>

static NSString *local(NSString *name) { return [folder() stringByAppendingPathComponent:name]; }

static NSData *content(NSUInteger size) {
    NSMutableData *data = [NSMutableData dataWithLength:size];
    unsigned char *bytes = [data mutableBytes];
    for (NSUInteger index = 0; index < size; index++) bytes[index] = (unsigned char)(index * 31 >> 3);
    return data;
}

static void checkUploads(DBUserClient *client) {
    NSData *fileData = [@"file data example" dataUsingEncoding:NSUTF8StringEncoding allowLossyConversion:NO];
    DBFILESWriteMode *mode = [[[DBFILESWriteMode alloc] initWithOverwrite] autorelease];
    __block int64_t last = 0;
    [[[client.filesRoutes uploadData:@"/objc/my_output.txt" mode:mode autorename:@(YES) clientModified:[NSDate dateWithTimeIntervalSince1970:1000000000]
                                mute:@(NO) propertyGroups:nil strictConflict:nil contentHash:nil inputData:fileData]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESUploadError *routeError, DBRequestError *networkError) {
          EXPECT([result.size isEqual:@17] && routeError == nil && networkError == nil);
          EXPECT([result.clientModified timeIntervalSince1970] == 1000000000);
          happened();
        }] setProgressBlock:^(int64_t bytesUploaded, int64_t totalBytesUploaded, int64_t totalBytesExpectedToUploaded) {
      EXPECT(totalBytesUploaded >= last && bytesUploaded == totalBytesUploaded - last);
      last = totalBytesUploaded;
    }];
    wait(1);

    NSData *large = content(3000000);
    EXPECT([large writeToFile:local(@"large") atomically:NO]);
    [[client.filesRoutes uploadUrl:@"/objc/from file" inputUrl:local(@"large")]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESUploadError *routeError, DBRequestError *networkError) {
          EXPECT([result.size isEqual:@3000000] && [result.pathDisplay isEqual:@"/objc/from file"]);
          happened();
        }];
    [[client.filesRoutes uploadStream:@"/objc/from stream" inputStream:[NSInputStream inputStreamWithData:large]]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESUploadError *routeError, DBRequestError *networkError) {
          EXPECT([result.size isEqual:@3000000]);
          happened();
        }];
    [[client.filesRoutes uploadUrl:@"/objc/none" inputUrl:local(@"there is none")]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESUploadError *routeError, DBRequestError *networkError) {
          EXPECT(result == nil && routeError == nil && [networkError isClientError]);
          happened();
        }];
    wait(3);

    // More than one request may carry; and the refusal of the session's end, as an error of the upload.
    NSString *huge = local(@"huge");
    EXPECT([[NSData data] writeToFile:huge atomically:NO] && truncate([huge fileSystemRepresentation], 151 * 1024 * 1024) == 0);
    [[client.filesRoutes uploadUrl:@"/objc/huge" inputUrl:huge]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESUploadError *routeError, DBRequestError *networkError) {
          EXPECT([result.size isEqual:@(151 * 1024 * 1024)]);
          happened();
        }];
    wait(1);
    [[client.filesRoutes uploadUrl:@"/objc" inputUrl:huge]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESUploadError *routeError, DBRequestError *networkError) {
          EXPECT(result == nil && [routeError isPath] && [routeError.path.reason isConflict]);
          happened();
        }];
    wait(1);
    EXPECT([[NSFileManager defaultManager] removeFileAtPath:huge handler:nil]);
    [[client.filesRoutes delete_V2:@"/objc/huge"]
        setResponseBlock:^(DBFILESDeleteResult *result, DBFILESDeleteError *routeError, DBRequestError *networkError) {
          EXPECT([result.metadata.pathDisplay isEqual:@"/objc/huge"]);
          happened();
        }];
    wait(1);

    // A session, piece by piece.
    __block NSString *session = nil;
    [[client.filesRoutes uploadSessionStartData:[large subdataWithRange:NSMakeRange(0, 1000)]]
        setResponseBlock:^(DBFILESUploadSessionStartResult *result, DBFILESUploadSessionStartError *routeError, DBRequestError *networkError) {
          session = [result.sessionId retain];
          happened();
        }];
    wait(1);
    DBFILESUploadSessionCursor *cursor = [[[DBFILESUploadSessionCursor alloc] initWithSessionId:session offset:@1000] autorelease];
    [[client.filesRoutes uploadSessionAppendV2Data:cursor inputData:[large subdataWithRange:NSMakeRange(1000, 500)]]
        setResponseBlock:^(DBNilObject *result, DBFILESUploadSessionAppendError *routeError, DBRequestError *networkError) {
          EXPECT([result isKindOfClass:[DBNilObject class]] && networkError == nil);
          happened();
        }];
    wait(1);
    [[client.filesRoutes uploadSessionAppendV2Data:cursor inputData:[large subdataWithRange:NSMakeRange(1000, 500)]]
        setResponseBlock:^(DBNilObject *result, DBFILESUploadSessionAppendError *routeError, DBRequestError *networkError) {
          EXPECT(result == nil && [routeError isIncorrectOffset] && [routeError.incorrectOffset.correctOffset isEqual:@1500]);
          happened();
        }];
    wait(1);
    [session release];
}

static void checkDownloads(DBUserClient *client) {
    NSURL *outputUrl = [NSURL fileURLWithPath:local(@"test_file_output.txt")];
    __block int64_t all = 0;
    [[[client.filesRoutes downloadUrl:@"/objc/from stream" overwrite:YES destination:outputUrl]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESDownloadError *routeError, DBRequestError *networkError, NSURL *destination) {
          EXPECT([result.size isEqual:@3000000]);
          EXPECT([[[NSFileManager defaultManager] contentsAtPath:[destination path]] isEqual:content(3000000)]);
          happened();
        }] setProgressBlock:^(int64_t bytesDownloaded, int64_t totalBytesDownloaded, int64_t totalBytesExpectedToDownload) {
      EXPECT(totalBytesExpectedToDownload == 3000000 || totalBytesExpectedToDownload == -1);
      all += bytesDownloaded;
    }];
    wait(1);
    EXPECT(all > 0);
    [[client.filesRoutes downloadUrl:@"/objc/from stream" overwrite:NO destination:outputUrl]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESDownloadError *routeError, DBRequestError *networkError, NSURL *destination) {
          EXPECT(result == nil && [networkError isClientError] && networkError.nsError.code == 516);
          happened();
        }];
    [[client.filesRoutes downloadData:@"/objc/my_output.txt"]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESDownloadError *routeError, DBRequestError *networkError, NSData *fileContents) {
          NSString *text = [[[NSString alloc] initWithData:fileContents encoding:NSUTF8StringEncoding] autorelease];
          EXPECT([text isEqual:@"file data example"] && [result.name isEqual:@"my_output.txt"]);
          happened();
        }];
    [[client.filesRoutes downloadData:@"/objc/my_output.txt" byteOffsetStart:@5 byteOffsetEnd:@8]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESDownloadError *routeError, DBRequestError *networkError, NSData *fileContents) {
          EXPECT([fileContents isEqual:[@"data" dataUsingEncoding:NSUTF8StringEncoding]]);
          happened();
        }];
    NSURL *part = [NSURL fileURLWithPath:local(@"part")];
    [[client.filesRoutes downloadUrl:@"/objc/my_output.txt" overwrite:NO destination:part byteOffsetStart:@0 byteOffsetEnd:@3]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESDownloadError *routeError, DBRequestError *networkError, NSURL *destination) {
          EXPECT([[NSData dataWithContentsOfFile:[part path]] isEqual:[@"file" dataUsingEncoding:NSUTF8StringEncoding]]);
          happened();
        }];
    [[client.filesRoutes downloadZipUrl:@"/objc" overwrite:YES destination:[NSURL fileURLWithPath:local(@"objc.zip")]]
        setResponseBlock:^(DBFILESDownloadZipResult *result, DBFILESDownloadZipError *routeError, DBRequestError *networkError, NSURL *destination) {
          EXPECT([result.metadata.name isEqual:@"objc"]);
          EXPECT([[NSData dataWithContentsOfURL:destination] length] > 3000000);
          happened();
        }];
    [[client.filesRoutes downloadData:@"/objc/nowhere"]
        setResponseBlock:^(DBFILESFileMetadata *result, DBFILESDownloadError *routeError, DBRequestError *networkError, NSData *fileContents) {
          EXPECT(result == nil && fileContents == nil && [routeError isPath] && [routeError.path isNotFound]);
          EXPECT([networkError isHttpError] && [networkError.statusCode isEqual:@409]);
          happened();
        }];
    wait(6);
    // Nothing that was received for a while stays.
    for (NSString *name in [[NSFileManager defaultManager] contentsOfDirectoryAtPath:folder() error:NULL]) EXPECT(![name hasSuffix:@".part"]);
}

static void checkBatch(DBUserClient *client) {
    NSMutableDictionary<NSURL *, DBFILESCommitInfo *> *uploadFilesUrlsToCommitInfo = [NSMutableDictionary new];
    NSArray *sizes = @[ @0, @1, @9000000, @17 ];
    for (NSUInteger index = 0; index < [sizes count]; index++) {
        NSString *name = [NSString stringWithFormat:@"batch %lu", (unsigned long)index];
        EXPECT([content([[sizes objectAtIndex:index] unsignedIntegerValue]) writeToFile:local(name) atomically:NO]);
        DBFILESCommitInfo *commitInfo = [[[DBFILESCommitInfo alloc] initWithPath:[@"/objc/" stringByAppendingString:name]] autorelease];
        [uploadFilesUrlsToCommitInfo setObject:commitInfo forKey:[NSURL fileURLWithPath:local(name)]];
    }
    NSURL *missing = [NSURL fileURLWithPath:local(@"missing")], *refused = [NSURL fileURLWithPath:local(@"large")];
    [uploadFilesUrlsToCommitInfo setObject:[[[DBFILESCommitInfo alloc] initWithPath:@"/objc/missing"] autorelease] forKey:missing];
    [uploadFilesUrlsToCommitInfo setObject:[[[DBFILESCommitInfo alloc] initWithPath:@"/objc/my_output.txt"] autorelease] forKey:refused];

    __block int64_t last = 0;
    DBBatchUploadTask *task = [client.filesRoutes batchUploadFiles:uploadFilesUrlsToCommitInfo
        queue:nil
        progressBlock:^(int64_t uploaded, int64_t uploadedTotal, int64_t expectedToUploadTotal) {
          EXPECT(uploadedTotal == last + uploaded && expectedToUploadTotal == 12000018);
          last = uploadedTotal;
        }
        responseBlock:^(NSDictionary<NSURL *, DBFILESUploadSessionFinishBatchResultEntry *> *fileUrlsToBatchResultEntries,
                        DBASYNCPollError *finishBatchRouteError, DBRequestError *finishBatchRequestError,
                        NSDictionary<NSURL *, DBRequestError *> *fileUrlsToRequestErrors) {
          EXPECT([fileUrlsToBatchResultEntries count] == 5 && [fileUrlsToRequestErrors count] == 1);
          EXPECT([[fileUrlsToRequestErrors objectForKey:missing] isClientError]);
          EXPECT(finishBatchRouteError == nil && finishBatchRequestError == nil);
          for (NSURL *clientSideFileUrl in fileUrlsToBatchResultEntries) {
              DBFILESUploadSessionFinishBatchResultEntry *resultEntry = [fileUrlsToBatchResultEntries objectForKey:clientSideFileUrl];
              if ([clientSideFileUrl isEqual:refused]) {
                  EXPECT([resultEntry isFailure] && [resultEntry.failure isPath] && [resultEntry.failure.path isConflict]);
              } else {
                  EXPECT([resultEntry isSuccess]);
                  EXPECT([resultEntry.success.pathDisplay hasSuffix:[[clientSideFileUrl path] lastPathComponent]]);
                  EXPECT([resultEntry.success.size unsignedLongLongValue] == [[NSData dataWithContentsOfURL:clientSideFileUrl] length]);
              }
          }
          happened();
        }];
    EXPECT([task uploadsInProgress]);
    wait(1);
    EXPECT(![task uploadsInProgress] && last == 12000018);

    // Cancelled, a batch commits nothing; its only piece is on its way for as long as it takes.
    fault(@"{\"route\":\"files/upload_session/start\",\"kind\":\"stall\",\"seconds\":50,\"count\":1}");
    task = [client.filesRoutes batchUploadFiles:@{refused : [[[DBFILESCommitInfo alloc] initWithPath:@"/objc/cancelled"] autorelease]}
        queue:nil
        progressBlock:nil
        responseBlock:^(NSDictionary *entries, DBASYNCPollError *routeError, DBRequestError *requestError, NSDictionary *errors) {
          DBRequestError *error = [errors objectForKey:refused];
          EXPECT([entries count] == 0 && error.nsError.code == NSURLErrorCancelled);
          happened();
        }];
    [task cancel];
    wait(1);
    [[client.filesRoutes getMetadata:@"/objc/cancelled"]
        setResponseBlock:^(DBFILESMetadata *result, DBFILESGetMetadataError *routeError, DBRequestError *networkError) {
          EXPECT(result == nil && [routeError.path isNotFound]);
          happened();
        }];
    wait(1);
    [uploadFilesUrlsToCommitInfo release];
}

void checkContent(DBUserClient *client) {
    checkUploads(client);
    checkDownloads(client);
    checkBatch(client);
}
