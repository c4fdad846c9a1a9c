// What a login needs of an application.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

NS_ASSUME_NONNULL_BEGIN

@protocol DBSharedApplication <NSObject>
typedef void (^DBOAuthCancelBlock)(void);
- (void)presentErrorMessage:(NSString *)message title:(NSString *)title;
- (void)presentErrorMessageWithHandlers:(NSString *)message
                                  title:(NSString *)title
                         buttonHandlers:(NSDictionary<NSString *, void (^)(void)> *)buttonHandlers;
- (BOOL)presentPlatformSpecificAuth:(NSURL *)authURL;
- (void)presentAuthChannel:(NSURL *)authURL cancelHandler:(DBOAuthCancelBlock)cancelHandler;
- (void)presentExternalApp:(NSURL *)url;
- (BOOL)canPresentExternalApp:(NSURL *)url;
- (void)presentLoading;
- (void)dismissLoading;
@end

/// Told while a login waits for the server.
@protocol DBLoadingStatusDelegate <NSObject>
- (void)showLoading;
- (void)dismissLoading;
@end

NS_ASSUME_NONNULL_END
