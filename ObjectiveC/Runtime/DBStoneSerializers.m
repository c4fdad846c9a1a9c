// Dates, lists and maps as JSON.

#define _GNU_SOURCE
#import "DBStoneSerializers.h"
#import "DBStoneTables.h"
#import <time.h>

@implementation NSArray (DBSerializable)
+ (NSDictionary *)serialize:(id)obj { return obj; }
+ (id)deserialize:(NSDictionary *)dict { return dict; }
@end

@implementation NSString (DBSerializable)
+ (NSDictionary *)serialize:(id)obj { return obj; }
+ (id)deserialize:(NSDictionary *)dict { return dict; }
@end

@implementation DBNSDateSerializer
+ (NSString *)serialize:(NSDate *)value dateFormat:(NSString *)dateFormat {
    double seconds = floor([value timeIntervalSince1970]);
    char text[256];
    struct tm parts;
    // The years 0 to 9999, which is what a text of four digits can say.
    if (!(seconds >= -62167219200.0 && seconds <= 253402300799.0)) DBRefuse(@"%@ is no time of the API", value);
    time_t time = (time_t)seconds;
    if (gmtime_r(&time, &parts) == NULL || strftime(text, sizeof text, [dateFormat UTF8String], &parts) == 0)
        DBRefuse(@"%@ is no time of the form %@", value, dateFormat);
    return [NSString stringWithUTF8String:text];
}
+ (NSDate *)deserialize:(NSString *)value dateFormat:(NSString *)dateFormat {
    struct tm parts = {0};
    parts.tm_mday = 1;
    const char *end = strptime([value UTF8String], [dateFormat UTF8String], &parts);
    if (end == NULL || *end != 0) DBRefuse(@"%@ is no time of the form %@", value, dateFormat);
    return [NSDate dateWithTimeIntervalSince1970:(NSTimeInterval)timegm(&parts)];
}
@end

@implementation DBArraySerializer
+ (NSArray *)serialize:(NSArray *)value withBlock:(id (^)(id))block {
    NSMutableArray *json = [NSMutableArray arrayWithCapacity:[value count]];
    for (id element in value) [json addObject:block(element)];
    return json;
}
+ (NSArray *)deserialize:(NSArray *)json withBlock:(id (^)(id))block { return [self serialize:json withBlock:block]; }
@end

@implementation DBMapSerializer
+ (NSDictionary *)serialize:(NSDictionary *)value withBlock:(id (^)(id))block {
    NSMutableDictionary *json = [NSMutableDictionary dictionary];
    for (id key in value) [json setObject:block([value objectForKey:key]) forKey:key];
    return json;
}
+ (NSDictionary *)deserialize:(NSDictionary *)json withBlock:(id (^)(id))block { return [self serialize:json withBlock:block]; }
@end
