// What the checks of the Objective-C library have in common: expectations, and waiting for blocks in the main thread's run loop.

#import <ObjectiveDropboxOfficial/ObjectiveDropboxOfficial.h>

#define EXPECT(condition) expect((condition) ? YES : NO, #condition, __FILE__, __LINE__)

void expect(BOOL isTrue, const char *condition, const char *file, int line);
/// Says that what wait() waits for has happened.
void happened(void);
/// Runs the main thread's run loop until happened() was called so often since the last wait(); five minutes at most.
void wait(int times);
/// Whether the block raises an exception.
BOOL raises(void (^block)(void));
/// Runs a block on the main thread, later.
void onMainThread(void (^block)(void));

/// Settings for the emulator.
DBTransportDefaultConfig *settings(NSString *appKey, NSString *appSecret);
/// Tells the emulator what to do wrong: JSON of its admin route for faults.
void fault(NSString *json);
/// Sends JSON to an admin route of the emulator, and gives what it answers.
NSDictionary *administer(NSString *route, NSString *json);
/// The text at an address; or the answer with its head, to `body` as a form.
NSString *browse(NSString *address, NSString *body);
/// A private folder for local files.
NSString *folder(void);

void checkTypes(void);
void checkDocuments(NSString *documents);
void checkRequests(DBUserClient *client);
void checkContent(DBUserClient *client);
void checkErrors(DBUserClient *client);
void checkGrowth(DBUserClient *client);
void checkClients(DBUserClient *client);
void checkLogin(void);
