// As much of XCTest as the tests of Dropbox's SDK for Objective-C use, and a program that runs them.

#import "XCTest.h"
#import <objc/runtime.h>
#import <stdio.h>
#import <stdlib.h>

void XCTestFail(const char *condition, const char *file, int line) {
    fprintf(stderr, "%s:%d: %s\n", file, line, condition);
    exit(1);
}

uint32_t arc4random_uniform(uint32_t bound) { return (uint32_t)rand() % bound; }

dispatch_semaphore_t dispatch_semaphore_create(long value) {
    sem_t *semaphore = malloc(sizeof(sem_t));
    if (semaphore == NULL || sem_init(semaphore, 0, (unsigned int)value) != 0) abort();
    return semaphore;
}
long dispatch_semaphore_signal(dispatch_semaphore_t semaphore) { return sem_post(semaphore); }
long dispatch_semaphore_wait(dispatch_semaphore_t semaphore, int timeout) { return sem_wait(semaphore); }

@implementation XCTestExpectation
- (instancetype)initWithDescription:(NSString *)description { return [super init]; }
- (void)fulfill {
    @synchronized(self) { _count++; }
}
- (BOOL)isFulfilled {
    @synchronized(self) { return _count > 0; }
}
@end

@implementation NSFileManager (Theirs)
- (NSArray *)URLsForDirectory:(NSSearchPathDirectory)directory inDomains:(NSSearchPathDomainMask)domains {
    NSString *home = [[[NSProcessInfo processInfo] environment] objectForKey:@"HOME"];
    return [NSArray arrayWithObject:[NSURL fileURLWithPath:[home stringByAppendingPathComponent:@"Documents"]]];
}
@end

@implementation XCTWaiter
+ (XCTWaiterResult)waitForExpectations:(NSArray *)expectations timeout:(NSTimeInterval)seconds {
    NSDate *end = [NSDate dateWithTimeIntervalSinceNow:seconds];
    for (XCTestExpectation *expectation in expectations) {
        while (![expectation isFulfilled]) {
            if ([end timeIntervalSinceNow] < 0) return XCTWaiterResultTimedOut;
            [[NSRunLoop mainRunLoop] runMode:NSDefaultRunLoopMode beforeDate:[NSDate dateWithTimeIntervalSinceNow:0.1]];
        }
    }
    return XCTWaiterResultCompleted;
}
@end

@implementation XCTestCase
@synthesize continueAfterFailure = _continueAfterFailure;
- (void)setUp {}
- (void)tearDown {}
- (void)waitForExpectations:(NSArray *)expectations timeout:(NSTimeInterval)seconds {
    XCTAssertEqual([XCTWaiter waitForExpectations:expectations timeout:seconds], XCTWaiterResultCompleted);
}
@end

@implementation EmulatorConfig
- (DBTransportBaseHostnameConfig *)hostnameConfig {
    NSString *address = [[[NSProcessInfo processInfo] environment] objectForKey:@"EMULATOR"];
    return [[[DBTransportBaseHostnameConfig alloc] initWithMeta:address api:address content:address notify:address] autorelease];
}
@end

@implementation TestAuthTokenGenerator
+ (NSString *)credentialForKey:(NSString *)key { return @"own"; }
+ (DBAccessToken *)refreshToken:(NSString *)refreshToken apiKey:(NSString *)apiKey apiSecret:(NSString *)apiSecret scopes:(NSArray *)scopes {
    return [DBAccessToken createWithLongLivedAccessToken:@"own" uid:@"own"];
}
@end

/// Runs the tests of the classes that are named; each writes a line.
int main(int count, char **arguments) {
    // Their code is for a compiler that counts references: nothing that it makes is let go of here.
    [[NSAutoreleasePool alloc] init];
    for (int index = 1; index < count; index++) {
        Class class = NSClassFromString([NSString stringWithUTF8String:arguments[index]]);
        unsigned int total = 0;
        Method *methods = class_copyMethodList(class, &total);
        for (unsigned int place = 0; place < total; place++) {
            SEL selector = method_getName(methods[place]);
            NSString *name = NSStringFromSelector(selector);
            if (![name hasPrefix:@"test"]) continue;
            XCTestCase *test = [[class alloc] init];
            [test setUp];
            [test performSelector:selector];
            [test tearDown];
            printf("passed %s/%s\n", arguments[index], [name UTF8String]);
            fflush(stdout);
        }
        free(methods);
    }
    return 0;
}
