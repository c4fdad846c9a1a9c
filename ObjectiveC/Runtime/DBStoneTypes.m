// Values by the types of the tables: from JSON, and to JSON.

#import "DBStoneTables.h"
#import "DBStoneSerializers.h"
#import <math.h>
#import <string.h>

static Class classNamed(const char *type) {
    char name[256];
    const char *end = strchr(type, ';');
    size_t length = end == NULL ? 0 : (size_t)(end - type - 1);
    if (length == 0 || length >= sizeof name) DBRefuse(@"there is no type %s", type);
    memcpy(name, type + 1, length);
    name[length] = 0;
    Class class = NSClassFromString([NSString stringWithUTF8String:name]);
    if (class == Nil) DBRefuse(@"there is no class %s", name);
    return class;
}

static NSString *formatOf(const char *type) {
    const char *end = strchr(type, '>');
    if (end == NULL) DBRefuse(@"there is no type %s", type);
    return [[[NSString alloc] initWithBytes:type + 2 length:(NSUInteger)(end - type - 2) encoding:NSUTF8StringEncoding] autorelease];
}

static BOOL isBoolean(id value) { return [value isKindOfClass:[[NSNumber numberWithBool:YES] class]]; }

static id checked(id value, Class class, const char *type) {
    if (![value isKindOfClass:class]) DBRefuse(@"%@ is not of the type %s", [value class], type);
    return value;
}

Class DBClassOfType(const char *type) {
    switch (type[0]) {
        case '?': return DBClassOfType(type + 1);
        case '@': return classNamed(type);
        case '[': return [NSArray class];
        case '{': return [NSDictionary class];
        case 's': return [NSString class];
        case 't': return [NSDate class];
        case 'v': return Nil;
        default: return [NSNumber class];
    }
}

id DBDecode(const char *type, id json) {
    if (type[0] == '?') return json == nil || json == [NSNull null] ? nil : DBDecode(type + 1, json);
    switch (type[0]) {
        case '@': return [classNamed(type) deserialize:json];
        case 's': return checked(json, [NSString class], type);
        case 't': return [DBNSDateSerializer deserialize:checked(json, [NSString class], type) dateFormat:formatOf(type)];
        case 'b':
            if (!isBoolean(json)) DBRefuse(@"%@ is no boolean", json);
            return json;
        case 'i':
            checked(json, [NSNumber class], type);
            // Lossless, or refused: another number would be another file's size. GNUstep's own reader makes all numbers floating ones.
            if (!isBoolean(json) && strchr("dfF", [json objCType][0]) != NULL) {
                double number = [json doubleValue];
                if (number == floor(number) && fabs(number) <= 9007199254740992.0)
                    return [NSNumber numberWithLongLong:(long long)number];
            } else if (!isBoolean(json)) {
                return json;
            }
            DBRefuse(@"%@ is no whole number", json);
        case 'f':
            checked(json, [NSNumber class], type);
            if (isBoolean(json)) DBRefuse(@"%@ is no number", json);
            return [NSNumber numberWithDouble:[json doubleValue]];
        case '[': {
            NSMutableArray *values = [NSMutableArray arrayWithCapacity:[checked(json, [NSArray class], type) count]];
            for (id element in json) {
                id value = DBDecode(type + 1, element);
                [values addObject:value == nil ? [NSNull null] : value];
            }
            return values;
        }
        case '{': {
            NSMutableDictionary *values = [NSMutableDictionary dictionary];
            for (id key in checked(json, [NSDictionary class], type)) {
                id value = DBDecode(type + 1, [json objectForKey:key]);
                [values setObject:value == nil ? [NSNull null] : value forKey:key];
            }
            return values;
        }
        default: return nil;
    }
}

id DBEncode(const char *type, id value) {
    if (value == nil || value == [NSNull null]) {
        if (type[0] != '?' && type[0] != 'v') DBRefuse(@"a value of the type %s is missing", type);
        return [NSNull null];
    }
    switch (type[0]) {
        case '?': return DBEncode(type + 1, value);
        case '@': return [classNamed(type) serialize:value];
        case 's': return checked(value, [NSString class], type);
        case 't': return [DBNSDateSerializer serialize:checked(value, [NSDate class], type) dateFormat:formatOf(type)];
        case 'b': return [NSNumber numberWithBool:[checked(value, [NSNumber class], type) boolValue]];
        case 'i': {
            checked(value, [NSNumber class], type);
            // The largest numbers of 64 bits are not those of a signed type.
            if (strcmp([value objCType], @encode(unsigned long long)) == 0) return value;
            double number = [value doubleValue];
            if (number != floor(number)) DBRefuse(@"%@ is no whole number", value);
            return [NSNumber numberWithLongLong:[value longLongValue]];
        }
        case 'f':
            if (!isfinite([checked(value, [NSNumber class], type) doubleValue])) DBRefuse(@"%@ is not finite", value);
            return [NSNumber numberWithDouble:[value doubleValue]];
        case '[': {
            NSMutableArray *json = [NSMutableArray arrayWithCapacity:[checked(value, [NSArray class], type) count]];
            for (id element in value) [json addObject:DBEncode(type + 1, element)];
            return json;
        }
        case '{': {
            NSMutableDictionary *json = [NSMutableDictionary dictionary];
            for (id key in checked(value, [NSDictionary class], type))
                [json setObject:DBEncode(type + 1, [value objectForKey:key]) forKey:checked(key, [NSString class], type)];
            return json;
        }
        default: return [NSNull null];
    }
}
