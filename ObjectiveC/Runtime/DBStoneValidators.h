// Checks of values, for programs that make types of their own. Types of the API do not need them: the server checks their values.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

NS_ASSUME_NONNULL_BEGIN

/// Each block raises an exception for a value that is refused.
@interface DBStoneValidators<T> : NSObject
+ (void (^_Nonnull)(NSString *))stringValidator:(nullable NSNumber *)minLength
                                      maxLength:(nullable NSNumber *)maxLength
                                        pattern:(nullable NSString *)pattern;
+ (void (^_Nonnull)(NSNumber *))numericValidator:(nullable NSNumber *)minValue maxValue:(nullable NSNumber *)maxValue;
+ (void (^_Nonnull)(NSArray<T> *))arrayValidator:(nullable NSNumber *)minItems
                                        maxItems:(nullable NSNumber *)maxItems
                                   itemValidator:(void (^_Nullable)(T))itemValidator;
+ (void (^_Nonnull)(NSDictionary<NSString *, T> *))mapValidator:(void (^_Nullable)(T))itemValidator;
+ (void (^_Nonnull)(T))nullableValidator:(void (^_Nonnull)(T))internalValidator;
+ (void (^_Nonnull)(id))nonnullValidator:(void (^_Nullable)(id))internalValidator;
+ (void)raiseIllegalStateErrorWithMessage:(NSString *)message;
@end

NS_ASSUME_NONNULL_END
