// As much of XCTest as the tests of Dropbox's SDK for Objective-C use, for GNUstep. Compiled with copies of their files by
// Scripts/run-objective-c-tests.

#import <ObjectiveDropboxOfficial/ObjectiveDropboxOfficial.h>
#import <semaphore.h>
#import <unistd.h>

typedef enum { XCTWaiterResultCompleted = 1, XCTWaiterResultTimedOut } XCTWaiterResult;

@interface XCTestExpectation : NSObject {
    int _count;
}
- (instancetype)initWithDescription:(NSString *)description;
- (void)fulfill;
- (BOOL)isFulfilled;
@end

@interface XCTWaiter : NSObject
+ (XCTWaiterResult)waitForExpectations:(NSArray *)expectations timeout:(NSTimeInterval)seconds;
@end

@interface XCTestCase : NSObject {
    BOOL _continueAfterFailure;
}
@property (nonatomic, assign) BOOL continueAfterFailure;
- (void)setUp;
- (void)tearDown;
- (void)waitForExpectations:(NSArray *)expectations timeout:(NSTimeInterval)seconds;
@end

/// Ends the process: a test goes on after no failure.
void XCTestFail(const char *condition, const char *file, int line);

#define XCTAssertTrue(condition, ...) \
    do { \
        if (!(condition)) XCTestFail(#condition, __FILE__, __LINE__); \
    } while (0)
#define XCTAssertFalse(condition, ...) XCTAssertTrue(!(condition))
#define XCTAssertNotNil(value, ...) XCTAssertTrue((value) != nil)
#define XCTAssertEqual(one, other, ...) XCTAssertTrue((one) == (other))
#define XCTAssertNotEqual(one, other, ...) XCTAssertTrue((one) != (other))
#define XCTFail(...) XCTestFail("XCTFail", __FILE__, __LINE__)

/// Settings of a client for the emulator, whose address is in EMULATOR.
@interface EmulatorConfig : DBTransportDefaultConfig
@end

/// Their token is one of a real account; here it is the emulator's.
@interface TestAuthTokenGenerator : NSObject
+ (NSString *)credentialForKey:(NSString *)key;
+ (DBAccessToken *)refreshToken:(NSString *)refreshToken apiKey:(NSString *)apiKey apiSecret:(NSString *)apiSecret scopes:(NSArray *)scopes;
@end

/// GNUstep's of Debian 12 does not have it; here it is the folder of documents in HOME.
@interface NSFileManager (Theirs)
- (NSArray<NSURL *> *)URLsForDirectory:(NSSearchPathDirectory)directory inDomains:(NSSearchPathDomainMask)domains;
@end

uint32_t arc4random_uniform(uint32_t bound);

#define DISPATCH_TIME_FOREVER 0
typedef sem_t *dispatch_semaphore_t;
dispatch_semaphore_t dispatch_semaphore_create(long value);
long dispatch_semaphore_signal(dispatch_semaphore_t semaphore);
long dispatch_semaphore_wait(dispatch_semaphore_t semaphore, int timeout);
/// Blocks run on an operation queue where theirs do on one of GCD.
#define dispatch_queue_create(name, attributes) ([[[NSOperationQueue alloc] init] autorelease])
