// The checks of the Objective-C library against an emulated Dropbox.
//   usage: check ADDRESS TOKEN FOLDER DOCUMENTS

#import "check.h"
#import <stdio.h>
#import <stdlib.h>

static int failures, events;
static NSString *address, *place;

void expect(BOOL isTrue, const char *condition, const char *file, int line) {
    if (isTrue) return;
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    failures++;
}

void happened(void) {
    // Blocks without a queue run on the main thread.
    EXPECT([NSThread isMainThread]);
    events++;
}

void wait(int times) {
    NSDate *end = [NSDate dateWithTimeIntervalSinceNow:300];
    while (events < times && [end timeIntervalSinceNow] > 0) {
        NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
        [[NSRunLoop currentRunLoop] runMode:NSDefaultRunLoopMode beforeDate:[NSDate dateWithTimeIntervalSinceNow:0.5]];
        [pool release];
    }
    EXPECT(events >= times);
    events = 0;
}

BOOL raises(void (^block)(void)) {
    @try {
        block();
        return NO;
    } @catch (NSException *exception) {
        return YES;
    }
}

@interface MainThread : NSObject
+ (void)run:(id)block;
@end

@implementation MainThread
+ (void)run:(id)block { ((void (^)(void))block)(); }
@end

void onMainThread(void (^block)(void)) {
    [MainThread performSelectorOnMainThread:@selector(run:) withObject:[[(id)block copy] autorelease] waitUntilDone:NO];
}

DBTransportDefaultConfig *settings(NSString *appKey, NSString *appSecret) {
    DBTransportBaseHostnameConfig *hosts = [[[DBTransportBaseHostnameConfig alloc] initWithMeta:address api:address content:address
                                                                                       notify:address] autorelease];
    return [[[DBTransportDefaultConfig alloc] initWithAppKey:appKey appSecret:appSecret hostnameConfig:hosts userAgent:@"check"
        asMemberId:nil additionalHeaders:nil delegateQueue:nil forceForegroundSession:YES sharedContainerIdentifier:nil] autorelease];
}

NSString *folder(void) { return place; }

/// What curl prints.
static NSString *curl(NSArray *arguments) {
    NSTask *task = [[[NSTask alloc] init] autorelease];
    NSPipe *pipe = [NSPipe pipe];
    [task setLaunchPath:@"/usr/bin/curl"];
    [task setArguments:[@[ @"-sS", @"--max-time", @"30" ] arrayByAddingObjectsFromArray:arguments]];
    [task setStandardOutput:pipe];
    [task launch];
    NSData *data = [[pipe fileHandleForReading] readDataToEndOfFile];
    [task waitUntilExit];
    EXPECT([task terminationStatus] == 0);
    return [[[NSString alloc] initWithData:data encoding:NSUTF8StringEncoding] autorelease];
}

NSDictionary *administer(NSString *route, NSString *json) {
    NSString *text = curl(@[ @"-X", @"POST", @"-H", @"Content-Type: application/json", @"-d", json, [address stringByAppendingString:route] ]);
    id answer = [NSJSONSerialization JSONObjectWithData:[text dataUsingEncoding:NSUTF8StringEncoding] options:0 error:NULL];
    EXPECT([answer isKindOfClass:[NSDictionary class]]);
    return answer;
}

void fault(NSString *json) { EXPECT([administer(@"/admin/faults", json) objectForKey:@"id"] != nil); }

NSString *browse(NSString *page, NSString *body) {
    return body == nil ? curl(@[ page ]) : curl(@[ @"-i", @"--data", body, page ]);
}

int main(int count, char **arguments) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    if (count != 5) {
        fprintf(stderr, "usage: check ADDRESS TOKEN FOLDER DOCUMENTS\n");
        return 2;
    }
    address = [NSString stringWithUTF8String:arguments[1]];
    place = [NSString stringWithUTF8String:arguments[3]];
    NSString *token = [NSString stringWithUTF8String:arguments[2]];
    DBUserClient *client = [[DBUserClient alloc] initWithAccessToken:token transportConfig:settings(@"key", nil)];
    checkTypes();
    checkDocuments([NSString stringWithUTF8String:arguments[4]]);
    checkRequests(client);
    checkContent(client);
    checkGrowth(client);
    checkErrors(client);
    checkClients(client);
    checkLogin();
    [client release];
    [pool release];
    if (failures > 0) fprintf(stderr, "%d expectations failed\n", failures);
    return failures > 0;
}
