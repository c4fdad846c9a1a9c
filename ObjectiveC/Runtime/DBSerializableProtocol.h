// What can be written as JSON and read from it.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"

NS_ASSUME_NONNULL_BEGIN

@protocol DBSerializable <NSObject>
/// The JSON of a value, as Foundation's objects.
+ (nullable NSDictionary<NSString *, id> *)serialize:(id)instance;
/// The value of JSON; raises NSInvalidArgumentException where a field is missing or is another kind of value.
+ (id)deserialize:(NSDictionary<NSString *, id> *)dict;
- (NSString *)description;
@end

NS_ASSUME_NONNULL_END
