// Checks of values. A block that is returned is never freed: the caller has no way to keep it otherwise, because blocks are no
// objects for this runtime, and a program makes few of them.

#import "DBStoneValidators.h"
#import "DBStoneTables.h"
#import <Block.h>

#pragma clang diagnostic ignored "-Wmismatched-return-types"

@implementation DBStoneValidators
+ (void (^)(NSString *))stringValidator:(NSNumber *)minLength maxLength:(NSNumber *)maxLength pattern:(NSString *)pattern {
    [minLength retain], [maxLength retain];
    NSRegularExpression *expression = pattern == nil ? nil
        : [[NSRegularExpression alloc] initWithPattern:[NSString stringWithFormat:@"^(?:%@)$", pattern] options:0 error:NULL];
    return Block_copy(^(NSString *value) {
        if (minLength != nil && [value length] < [minLength unsignedIntegerValue]) DBRefuse(@"\"%@\" is too short", value);
        if (maxLength != nil && [value length] > [maxLength unsignedIntegerValue]) DBRefuse(@"\"%@\" is too long", value);
        if (expression != nil && value != nil
            && [expression numberOfMatchesInString:value options:0 range:NSMakeRange(0, [value length])] == 0)
            DBRefuse(@"\"%@\" does not match %@", value, pattern);
    });
}
+ (void (^)(NSNumber *))numericValidator:(NSNumber *)minValue maxValue:(NSNumber *)maxValue {
    [minValue retain], [maxValue retain];
    return Block_copy(^(NSNumber *value) {
        if (minValue != nil && [value compare:minValue] == NSOrderedAscending) DBRefuse(@"%@ is less than %@", value, minValue);
        if (maxValue != nil && [value compare:maxValue] == NSOrderedDescending) DBRefuse(@"%@ is more than %@", value, maxValue);
    });
}
+ (void (^)(NSArray *))arrayValidator:(NSNumber *)minItems maxItems:(NSNumber *)maxItems itemValidator:(void (^)(id))itemValidator {
    [minItems retain], [maxItems retain];
    void (^item)(id) = itemValidator == nil ? NULL : Block_copy(itemValidator);
    return Block_copy(^(NSArray *value) {
        if (minItems != nil && [value count] < [minItems unsignedIntegerValue]) DBRefuse(@"the list has too few elements");
        if (maxItems != nil && [value count] > [maxItems unsignedIntegerValue]) DBRefuse(@"the list has too many elements");
        for (id element in value)
            if (item != nil) item(element);
    });
}
+ (void (^)(NSDictionary *))mapValidator:(void (^)(id))itemValidator {
    void (^item)(id) = itemValidator == nil ? NULL : Block_copy(itemValidator);
    return Block_copy(^(NSDictionary *value) {
        for (id key in value)
            if (item != nil) item([value objectForKey:key]);
    });
}
+ (void (^)(id))nullableValidator:(void (^)(id))internalValidator {
    void (^inner)(id) = Block_copy(internalValidator);
    return Block_copy(^(id value) {
        if (value != nil) inner(value);
    });
}
+ (void (^)(id))nonnullValidator:(void (^)(id))internalValidator {
    void (^inner)(id) = internalValidator == nil ? NULL : Block_copy(internalValidator);
    return Block_copy(^(id value) {
        if (value == nil) DBRefuse(@"a value is missing");
        if (inner != nil) inner(value);
    });
}
+ (void)raiseIllegalStateErrorWithMessage:(NSString *)message {
    [[NSException exceptionWithName:@"IllegalStateException" reason:message userInfo:nil] raise];
}
@end
