// That calls leave nothing behind: the heap after many of them is as large as after a few.

#import "check.h"
#import <malloc.h>

/// A listing, a download, a refusal and a restart.
static void callAll(DBUserClient *client) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    [[client.filesRoutes listFolder:@"/objc"] setResponseBlock:^(DBFILESListFolderResult *result, DBFILESListFolderError *error, DBRequestError *failure) {
      EXPECT([[DBFILESListFolderResult deserialize:[DBFILESListFolderResult serialize:result]] isEqual:result]);
      happened();
    }];
    DBDownloadDataTask *download = [client.filesRoutes downloadData:@"/objc/my_output.txt"];
    [download setProgressBlock:^(int64_t more, int64_t done, int64_t total) { EXPECT(more >= 0); }];
    [download setResponseBlock:^(DBFILESFileMetadata *result, DBFILESDownloadError *error, DBRequestError *failure, NSData *data) {
      EXPECT([data length] == 17);
      happened();
    }];
    DBRpcTask *refused = [client.filesRoutes getMetadata:@"/objc/nowhere"];
    [refused setResponseBlock:^(DBFILESMetadata *result, DBFILESGetMetadataError *error, DBRequestError *failure) {
      EXPECT([error.path isNotFound]);
      happened();
    }];
    [refused restart];
    wait(4);
    [pool release];
}

void checkGrowth(DBUserClient *client) {
    // Five requests each time: an object that each of them left would be 96 KiB.
    const int times = 600;
    const size_t limit = 64 * 1024;
    for (int index = 0; index < times / 2; index++) callAll(client);
    size_t before = mallinfo2().uordblks;
    for (int index = 0; index < times; index++) callAll(client);
    size_t after = mallinfo2().uordblks;
    if (after > before + limit) NSLog(@"the heap has grown from %zu to %zu", before, after);
    EXPECT(after <= before + limit);
}
