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

/// Whether many calls leave the heap as large as it was.
static BOOL heapStays(DBUserClient *client, int times) {
    // Five requests each time: an object that each of them left would be 96 KiB.
    const size_t limit = 64 * 1024;
    size_t before = mallinfo2().uordblks;
    for (int index = 0; index < times; index++) callAll(client);
    size_t after = mallinfo2().uordblks;
    if (after > before + limit) NSLog(@"the heap has grown from %zu to %zu", before, after);
    return after <= before + limit;
}

void checkGrowth(DBUserClient *client) {
    const int times = 600;
    for (int index = 0; index < times / 2; index++) callAll(client);
    // What calls leave grows each time; one more connection at once, on a busy machine, does so only once.
    EXPECT(heapStays(client, times) || heapStays(client, times) || heapStays(client, times));
}
