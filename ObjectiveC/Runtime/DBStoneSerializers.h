// Dates, lists and maps as JSON.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"
#import "DBSerializableProtocol.h"

NS_ASSUME_NONNULL_BEGIN

@interface NSArray (DBSerializable) <DBSerializable>
+ (nullable NSDictionary<NSString *, id> *)serialize:(id)obj;
+ (id)deserialize:(NSDictionary<NSString *, id> *)dict;
@end

@interface NSString (DBSerializable) <DBSerializable>
+ (nullable NSDictionary<NSString *, id> *)serialize:(id)obj;
+ (id)deserialize:(NSDictionary<NSString *, id> *)dict;
@end

/// Times in UTC, by a format of strftime(3). Raises NSInvalidArgumentException for a text that is no such time.
@interface DBNSDateSerializer : NSObject
+ (NSString *)serialize:(NSDate *)value dateFormat:(NSString *)dateFormat;
+ (NSDate *)deserialize:(NSString *)value dateFormat:(NSString *)dateFormat;
@end

@interface DBArraySerializer : NSObject
+ (NSArray *)serialize:(NSArray *)value withBlock:(id (^_Nonnull)(id))serializeBlock;
+ (NSArray *)deserialize:(NSArray *)jsonData withBlock:(id (^_Nonnull)(id))deserializeBlock;
@end

@interface DBMapSerializer : NSObject
+ (NSDictionary *)serialize:(NSDictionary *)value withBlock:(id (^_Nonnull)(id))serializeBlock;
+ (NSDictionary *)deserialize:(NSDictionary *)jsonData withBlock:(id (^_Nonnull)(id))deserializeBlock;
@end

NS_ASSUME_NONNULL_END
