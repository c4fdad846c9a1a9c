// JSON as Foundation's objects, with whole numbers of 64 bits as they are.

#import "DBJSON.h"
#import "DBStoneTables.h"
#import <errno.h>
#import <math.h>
#import <stdlib.h>
#import <string.h>

enum { deepest = 512 };

typedef struct {
    const char *place;
    int depth;
} Reader;

static id readValue(Reader *reader);

static void skipSpace(Reader *reader) { reader->place += strspn(reader->place, " \t\r\n"); }

static BOOL skip(Reader *reader, const char *word) {
    size_t length = strlen(word);
    if (strncmp(reader->place, word, length) != 0) return NO;
    reader->place += length;
    return YES;
}

static long readHex(Reader *reader) {
    char digits[5] = {0};
    for (int index = 0; index < 4; index++) {
        if (strchr("0123456789abcdefABCDEF", reader->place[index]) == NULL || reader->place[index] == 0) return -1;
        digits[index] = reader->place[index];
    }
    reader->place += 4;
    return strtol(digits, NULL, 16);
}

/// Adds a character whose first half, or all of it, was escaped. A half without its other one is no character.
static void appendCharacter(NSMutableString *text, Reader *reader, unichar first) {
    unichar units[] = {first, 0};
    if (first >= 0xd800 && first < 0xdc00 && strncmp(reader->place, "\\u", 2) == 0) {
        const char *before = reader->place;
        reader->place += 2;
        long second = readHex(reader);
        if (second >= 0xdc00 && second < 0xe000) {
            units[1] = (unichar)second;
            [text appendString:[NSString stringWithCharacters:units length:2]];
            return;
        }
        reader->place = before;
    }
    if (first >= 0xd800 && first < 0xe000) units[0] = 0xfffd;
    [text appendString:[NSString stringWithCharacters:units length:1]];
}

static NSString *readString(Reader *reader) {
    if (!skip(reader, "\"")) return nil;
    NSMutableString *text = [NSMutableString string];
    while (*reader->place != '"') {
        size_t length = strcspn(reader->place, "\"\\");
        for (size_t index = 0; index < length; index++)
            if ((unsigned char)reader->place[index] < 0x20) return nil;
        if (length > 0) {
            NSString *part = [[[NSString alloc] initWithBytes:reader->place length:length encoding:NSUTF8StringEncoding] autorelease];
            if (part == nil) return nil;
            [text appendString:part];
            reader->place += length;
        }
        if (*reader->place == 0) return nil;
        if (*reader->place == '"') break;
        reader->place++;
        char escaped = *reader->place;
        if (escaped == 0) return nil;
        reader->place++;
        const char *from = "\"\\/bfnrt", *to = "\"\\/\b\f\n\r\t", *known = strchr(from, escaped);
        long code = known != NULL ? to[known - from] : escaped == 'u' ? readHex(reader) : -1;
        if (code < 0) return nil;
        appendCharacter(text, reader, (unichar)code);
    }
    reader->place++;
    return text;
}

static NSNumber *readNumber(Reader *reader) {
    size_t length = strspn(reader->place, "+-0123456789.eE");
    char digits[64];
    if (length == 0 || length >= sizeof digits) return nil;
    memcpy(digits, reader->place, length);
    digits[length] = 0;
    reader->place += length;
    char *end = NULL;
    if (strpbrk(digits, ".eE") == NULL) {
        errno = 0;
        long long number = strtoll(digits, &end, 10);
        if (*end == 0 && errno == 0) return [NSNumber numberWithLongLong:number];
        errno = 0;
        unsigned long long positive = strtoull(digits, &end, 10);
        if (*end == 0 && errno == 0 && digits[0] != '-') return [NSNumber numberWithUnsignedLongLong:positive];
    }
    double number = strtod(digits, &end);
    return *end == 0 && isfinite(number) ? [NSNumber numberWithDouble:number] : nil;
}

static NSArray *readArray(Reader *reader) {
    NSMutableArray *values = [NSMutableArray array];
    skipSpace(reader);
    if (skip(reader, "]")) return values;
    for (;;) {
        id value = readValue(reader);
        if (value == nil) return nil;
        [values addObject:value];
        skipSpace(reader);
        if (skip(reader, "]")) return values;
        if (!skip(reader, ",")) return nil;
    }
}

static NSDictionary *readObject(Reader *reader) {
    NSMutableDictionary *values = [NSMutableDictionary dictionary];
    skipSpace(reader);
    if (skip(reader, "}")) return values;
    for (;;) {
        skipSpace(reader);
        NSString *key = readString(reader);
        skipSpace(reader);
        if (key == nil || !skip(reader, ":")) return nil;
        id value = readValue(reader);
        if (value == nil) return nil;
        [values setObject:value forKey:key];
        skipSpace(reader);
        if (skip(reader, "}")) return values;
        if (!skip(reader, ",")) return nil;
    }
}

static id readValue(Reader *reader) {
    id value = nil;
    skipSpace(reader);
    if (++reader->depth > deepest) return nil;
    if (*reader->place == '"') value = readString(reader);
    else if (skip(reader, "{")) value = readObject(reader);
    else if (skip(reader, "[")) value = readArray(reader);
    else if (skip(reader, "true")) value = [NSNumber numberWithBool:YES];
    else if (skip(reader, "false")) value = [NSNumber numberWithBool:NO];
    else if (skip(reader, "null")) value = [NSNull null];
    else value = readNumber(reader);
    reader->depth--;
    return value;
}

id DBJSONRead(const char *text) {
    if (text == NULL) return nil;
    Reader reader = {text, 0};
    id value = readValue(&reader);
    skipSpace(&reader);
    return *reader.place == 0 ? value : nil;
}

static void writeString(NSMutableString *text, NSString *value) {
    [text appendString:@"\""];
    NSUInteger length = [value length];
    for (NSUInteger index = 0; index < length; index++) {
        unichar unit = [value characterAtIndex:index];
        // Halves of a character would be no UTF-8; as escapes they are JSON.
        if (unit == '"' || unit == '\\') [text appendFormat:@"\\%c", unit];
        else if (unit < 0x20 || unit > 0x7e) [text appendFormat:@"\\u%04x", unit];
        else [text appendFormat:@"%c", unit];
    }
    [text appendString:@"\""];
}

static void writeValue(NSMutableString *text, id value) {
    if ([value isKindOfClass:[NSString class]]) {
        writeString(text, value);
    } else if ([value isKindOfClass:[NSDictionary class]]) {
        NSString *mark = @"{";
        for (id key in [[value allKeys] sortedArrayUsingSelector:@selector(compare:)]) {
            [text appendString:mark];
            writeString(text, key);
            [text appendString:@":"];
            writeValue(text, [value objectForKey:key]);
            mark = @",";
        }
        [text appendString:[value count] == 0 ? @"{}" : @"}"];
    } else if ([value isKindOfClass:[NSArray class]]) {
        NSString *mark = @"[";
        for (id element in value) {
            [text appendString:mark];
            writeValue(text, element);
            mark = @",";
        }
        [text appendString:[value count] == 0 ? @"[]" : @"]"];
    } else if (value == [NSNull null]) {
        [text appendString:@"null"];
    } else if (![value isKindOfClass:[NSNumber class]]) {
        DBRefuse(@"%@ has no JSON", [value class]);
    } else if ([value isKindOfClass:[[NSNumber numberWithBool:YES] class]]) {
        [text appendString:[value boolValue] ? @"true" : @"false"];
    } else if (strchr("dfF", [value objCType][0]) != NULL) {
        if (!isfinite([value doubleValue])) DBRefuse(@"%@ is not finite", value);
        [text appendFormat:@"%.17g", [value doubleValue]];
    } else if (strcmp([value objCType], @encode(unsigned long long)) == 0) {
        [text appendFormat:@"%llu", [value unsignedLongLongValue]];
    } else {
        [text appendFormat:@"%lld", [value longLongValue]];
    }
}

NSString *DBJSONText(id value) {
    if (value == nil) return nil;
    NSMutableString *text = [NSMutableString string];
    writeValue(text, value);
    return text;
}
