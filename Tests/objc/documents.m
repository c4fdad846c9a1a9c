// All types read and write what the tests of the generated Swift code read: the specification's examples, each field and each tag. Damaged
// documents are refused by an exception, and end nothing.

#import "../../ObjectiveC/Runtime/DBJSON.h"
#import "check.h"
#import <string.h>

/// Whether all of a value is in another one, which may have more fields: those with a standard value.
static BOOL isWithin(id part, id whole) {
    if ([part isKindOfClass:[NSDictionary class]]) {
        if (![whole isKindOfClass:[NSDictionary class]]) return NO;
        for (id key in part) {
            id value = [part objectForKey:key];
            if (value != [NSNull null] && !isWithin(value, [whole objectForKey:key])) return NO;
        }
        return YES;
    }
    if ([part isKindOfClass:[NSArray class]]) {
        if (![whole isKindOfClass:[NSArray class]] || [(NSArray *)part count] != [(NSArray *)whole count]) return NO;
        for (NSUInteger index = 0; index < [(NSArray *)part count]; index++)
            if (!isWithin([part objectAtIndex:index], [whole objectAtIndex:index])) return NO;
        return YES;
    }
    return [part isEqual:whole];
}

/// `files.FileMetadata` is DBFILESFileMetadata.
static Class classOfType(NSString *type) {
    NSRange dot = [type rangeOfString:@"."];
    NSString *space = [[[type substringToIndex:dot.location] stringByReplacingOccurrencesOfString:@"_" withString:@""] uppercaseString];
    NSMutableString *name = [NSMutableString string];
    for (NSString *word in [[type substringFromIndex:dot.location + 1] componentsSeparatedByString:@"_"])
        [name appendFormat:@"%@%@", [[word substringToIndex:1] uppercaseString], [word substringFromIndex:1]];
    return NSClassFromString([NSString stringWithFormat:@"DB%@%@", space, name]);
}

static int damaged;

/// Reads the document with each of its fields in turn replaced by something else.
static void damage(Class class, NSDictionary *value) {
    NSArray *others = [NSArray arrayWithObjects:@7, @1.5, @YES, @"text", @[ @[ @1 ] ], [NSNull null], @{@".tag" : @"none"}, @{@".tag" : @5}, nil];
    for (NSString *key in value) {
        for (id other in others) {
            NSMutableDictionary *copy = [NSMutableDictionary dictionaryWithDictionary:value];
            [copy setObject:other forKey:key];
            @try {
                [[class deserialize:copy] description];
            } @catch (NSException *exception) {
                EXPECT([[exception name] isEqual:NSInvalidArgumentException]);
            }
            damaged++;
        }
    }
}

static void check(NSString *file, int expected) {
    NSString *text = [NSString stringWithContentsOfFile:file encoding:NSUTF8StringEncoding error:NULL];
    NSMutableSet *classes = [NSMutableSet set];
    for (NSString *line in [text componentsSeparatedByString:@"\n"]) {
        NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
        NSDictionary *document = DBJSONRead([line UTF8String]);
        NSString *type = [document objectForKey:@"type"];
        Class class = type == nil ? Nil : classOfType(type);
        if (type != nil) {
            id value = [document objectForKey:@"value"];
            @try {
                id object = [class deserialize:value];
                id written = [class serialize:object];
                BOOL isSame = class != Nil && object != nil && isWithin(value, written) && [[class deserialize:written] isEqual:object];
                if (!isSame) NSLog(@"%@ became %@", line, DBJSONText(written));
                EXPECT(isSame);
                [classes addObject:NSStringFromClass(class)];
                if ([value isKindOfClass:[NSDictionary class]]) damage(class, value);
            } @catch (NSException *exception) {
                NSLog(@"%@: %@", line, [exception reason]);
                EXPECT(NO);
            }
        }
        [pool release];
    }
    if ((int)[classes count] < expected) NSLog(@"%@ has %lu types", file, (unsigned long)[classes count]);
    EXPECT((int)[classes count] >= expected);
}

void checkDocuments(NSString *documents) {
    check([documents stringByAppendingPathComponent:@"examples.jsonl"], 500);
    check([documents stringByAppendingPathComponent:@"samples.jsonl"], 2000);
    EXPECT(damaged > 20000);

    // JSON itself.
    NSArray *values = DBJSONRead("[18446744073709551615,-9223372036854775808,1e3,\"\\ud83d\\ude00\\n\"]");
    EXPECT([[values objectAtIndex:0] unsignedLongLongValue] == UINT64_MAX && [[values objectAtIndex:1] longLongValue] == INT64_MIN);
    EXPECT([[values objectAtIndex:2] doubleValue] == 1000);
    EXPECT(strcmp([[values objectAtIndex:3] UTF8String], "\xf0\x9f\x98\x80\n") == 0);
    EXPECT([DBJSONText([values objectAtIndex:3]) isEqual:@"\"\\ud83d\\ude00\\u000a\""]);
    EXPECT([DBJSONRead("\"\\ud83d\\n\\ude00\"") length] == 3);
    EXPECT([DBJSONText(@[ @YES, @1, @1.5, [NSNull null], @"ä\"\\\n" ]) isEqual:@"[true,1,1.5,null,\"\\u00e4\\\"\\\\\\u000a\"]"]);
    for (NSString *wrong in @[ @"", @"{", @"[1,]", @"{\"a\" 1}", @"\"\\x\"", @"\"\\ud8\"", @"nul", @"1 2", @"[1e999]", @"--1", @"\"a\nb\"" ])
        EXPECT(DBJSONRead([wrong UTF8String]) == nil);
    NSString *deep = [@"" stringByPaddingToLength:100000 withString:@"[" startingAtIndex:0];
    EXPECT(DBJSONRead([deep UTF8String]) == nil);
}
