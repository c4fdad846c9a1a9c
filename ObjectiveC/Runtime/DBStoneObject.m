// Structs and unions of the API: their methods are added to a class when it is used first, from its table. A struct keeps its values
// in the order of its fields, a union its tag and one value.

#import "DBStoneTables.h"
#import <objc/runtime.h>
#import <stdlib.h>
#import <string.h>

@interface DBStoneObject (Values)
- (id *)stoneValues;
- (int)stoneTag;
- (void)setStoneValues:(id *)values;
- (void)setStoneTag:(int)tag;
- (NSString *)tagName;
@end

void DBRefuse(NSString *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    NSString *reason = [[[NSString alloc] initWithFormat:format arguments:arguments] autorelease];
    va_end(arguments);
    [[NSException exceptionWithName:NSInvalidArgumentException reason:reason userInfo:nil] raise];
    abort();
}

/// Whether `name`, up to `length`, is a member with a first capital.
static BOOL isUpper(const char *name, size_t length, const char *member) {
    return length > 0 && strlen(member) == length && (name[0] | 0x20) == (member[0] | 0x20)
        && strncmp(name + 1, member + 1, length - 1) == 0;
}

// MARK: Structs

/// Whether a selector's name is that of the initialiser for the first `count` fields of a table.
static BOOL isInitialiser(const char *name, const DBStoneTable *table, int count) {
    if (count != table->count && count != table->required) return NO;
    if (count == 0) return strcmp(name, "initDefault") == 0;
    if (strncmp(name, "initWith", 8) != 0) return NO;
    name += 8;
    for (int index = 0; index < count; index++) {
        const char *member = table->fields[index].member, *end = strchr(name, ':');
        if (end == NULL) return NO;
        size_t length = (size_t)(end - name);
        if (index == 0 ? !isUpper(name, length, member)
                       : strlen(member) != length || strncmp(name, member, length) != 0) return NO;
        name = end + 1;
    }
    return *name == 0;
}

static void setField(DBStoneObject *self, const DBStoneTable *table, int index, id value) {
    const DBStoneField *field = &table->fields[index];
    if (value == nil && field->standard != NULL) {
        NSString *text = [NSString stringWithUTF8String:field->standard];
        id json = [text isEqual:@"true"] ? [NSNumber numberWithBool:YES] : [text isEqual:@"false"] ? [NSNumber numberWithBool:NO]
            : [text hasPrefix:@"\""] ? [text substringWithRange:NSMakeRange(1, [text length] - 2)]
            : strchr(field->standard, '.') != NULL ? [NSNumber numberWithDouble:[text doubleValue]]
            : [NSNumber numberWithLongLong:[text longLongValue]];
        value = DBDecode(field->type, json);
    }
    if (value == nil && field->type[0] != '?')
        DBRefuse(@"%@ needs a value for %s", [self class], field->member);
    id old = [self stoneValues][index];
    [self stoneValues][index] = [value respondsToSelector:@selector(copyWithZone:)] ? [value copy] : [value retain];
    [old release];
}

static void makeValues(DBStoneObject *self, int count) {
    if ([self stoneValues] == NULL) [self setStoneValues:calloc((size_t)count + 1, sizeof(id))];
    if ([self stoneValues] == NULL) abort();
}

/// Takes over the first `count` fields of this class or of one above.
static id initialise(DBStoneObject *self, SEL selector, id *values, int count) {
    const DBStoneTable *own = [[self class] stoneTable];
    makeValues(self, own->count);
    for (Class class = [self class]; [class respondsToSelector:@selector(stoneTable)]; class = class_getSuperclass(class)) {
        const DBStoneTable *table = [class stoneTable];
        if (table == NULL) break;
        if (!isInitialiser(sel_getName(selector), table, count)) continue;
        @try {
            for (int index = 0; index < table->count; index++) {
                for (int place = 0; place < own->count; place++)
                    if (strcmp(own->fields[place].name, table->fields[index].name) == 0)
                        setField(self, own, place, index < count ? values[index] : nil);
            }
        } @catch (NSException *exception) {
            [self release];
            @throw;
        }
        return self;
    }
    [self release];
    DBRefuse(@"there is no %s", sel_getName(selector));
}

static id getValue(id self, int index) { return [[[self stoneValues][index] retain] autorelease]; }

#include "DBStoneInitialisers.h"

static void addMethod(Class class, NSString *name, IMP method, int parameters) {
    NSMutableString *types = [NSMutableString stringWithFormat:@"@%d@0:%d", (int)sizeof(void *) * (2 + parameters), (int)sizeof(void *)];
    for (int index = 0; index < parameters; index++)
        [types appendFormat:@"@%d", (int)sizeof(void *) * (2 + index)];
    class_addMethod(class, NSSelectorFromString(name), method, [types UTF8String]);
}

static NSString *upper(const char *member) {
    return [NSString stringWithFormat:@"%c%s", member[0] & ~0x20, member + 1];
}

static void addInitialiser(Class class, const DBStoneTable *table, int count) {
    NSMutableString *name = [NSMutableString stringWithString:@"initDefault"];
    for (int index = 0; index < count; index++) {
        const char *member = table->fields[index].member;
        if (index == 0) [name setString:[NSString stringWithFormat:@"initWith%@:", upper(member)]];
        else [name appendFormat:@"%s:", member];
    }
    addMethod(class, name, initialisers[count], count);
}

static void addStructMethods(Class class, const DBStoneTable *table) {
    if (table->count > mostFields) DBRefuse(@"%@ has too many fields", class);
    for (int index = 0; index < table->count; index++)
        addMethod(class, [NSString stringWithUTF8String:table->fields[index].member], getters[index], 0);
    addInitialiser(class, table, table->count);
    if (table->required != table->count) addInitialiser(class, table, table->required);
}

// MARK: Unions

static int tagOfUpper(const DBStoneTable *table, const char *name, size_t length) {
    for (int index = 0; index < table->count; index++)
        if (isUpper(name, length, table->fields[index].member)) return index;
    return -1;
}

static id setTag(DBStoneObject *self, int tag, id value) {
    makeValues(self, 1);
    [self setStoneTag:tag];
    const DBStoneField *field = &[[self class] stoneTable]->fields[tag];
    if (value == nil && field->type[0] != '?' && field->type[0] != 'v') {
        NSString *reason = [NSString stringWithFormat:@"%@ needs a value for %s", [self class], field->member];
        [self release];
        DBRefuse(@"%@", reason);
    }
    [self stoneValues][0] = [value respondsToSelector:@selector(copyWithZone:)] ? [value copy] : [value retain];
    return self;
}

static id initUnion(id self, SEL selector) {
    const char *name = sel_getName(selector) + strlen("initWith");
    return setTag(self, tagOfUpper([[self class] stoneTable], name, strlen(name)), nil);
}

static id initUnionWithValue(id self, SEL selector, id value) {
    const char *name = sel_getName(selector) + strlen("initWith");
    return setTag(self, tagOfUpper([[self class] stoneTable], name, strlen(name) - 1), value);
}

static BOOL isTag(id self, SEL selector) {
    const char *name = sel_getName(selector) + strlen("is");
    return isUpper(name, strlen(name), [[self class] stoneTable]->fields[[self stoneTag]].member);
}

static id getPayload(id self, SEL selector) {
    if (strcmp(sel_getName(selector), [[self class] stoneTable]->fields[[self stoneTag]].member) != 0) {
        [[NSException exceptionWithName:@"IllegalStateException"
                                 reason:[NSString stringWithFormat:@"Invalid tag: required \"%@%@\", but was \"%@\".", [self class],
                                                                   upper(sel_getName(selector)), [self tagName]]
                               userInfo:nil] raise];
    }
    return getValue(self, 0);
}

static NSInteger getTag(id self, SEL selector) { return [self stoneTag]; }

static id getTagName(id self, SEL selector) {
    return [NSString stringWithFormat:@"%@%@", [self class], upper([[self class] stoneTable]->fields[[self stoneTag]].member)];
}

static void addUnionMethods(Class class, const DBStoneTable *table) {
    for (int index = 0; index < table->count; index++) {
        const DBStoneField *field = &table->fields[index];
        NSString *name = upper(field->member), *types = [NSString stringWithFormat:@"%s%d@0:%d", @encode(BOOL), (int)sizeof(void *) * 2,
                                                                            (int)sizeof(void *)];
        class_addMethod(class, NSSelectorFromString([@"is" stringByAppendingString:name]), (IMP)isTag, [types UTF8String]);
        if (field->type[0] == 'v') {
            addMethod(class, [@"initWith" stringByAppendingString:name], (IMP)initUnion, 0);
        } else {
            addMethod(class, [NSString stringWithFormat:@"initWith%@:", name], (IMP)initUnionWithValue, 1);
            addMethod(class, [NSString stringWithUTF8String:field->member], (IMP)getPayload, 0);
        }
    }
    NSString *types = [NSString stringWithFormat:@"%s%d@0:%d", @encode(NSInteger), (int)sizeof(void *) * 2, (int)sizeof(void *)];
    class_addMethod(class, @selector(tag), (IMP)getTag, [types UTF8String]);
    addMethod(class, @"tagName", (IMP)getTagName, 0);
}

// MARK: JSON

static id encodeObject(DBStoneObject *self) {
    const DBStoneTable *table = [[self class] stoneTable];
    NSMutableDictionary *json = [NSMutableDictionary dictionary];
    if (!table->isUnion) {
        for (int index = 0; index < table->count; index++) {
            id value = [self stoneValues][index];
            const DBStoneField *field = &table->fields[index];
            if (value != nil) [json setObject:DBEncode(field->type, value) forKey:[NSString stringWithUTF8String:field->name]];
        }
        for (Class class = [self class]; class != [DBStoneObject class]; class = class_getSuperclass(class)) {
            const DBStoneSubtype *subtype = [class stoneTable]->subtypes;
            for (; subtype != NULL && subtype->tag != NULL; subtype++)
                if (DBClassOfType(subtype->type) == [self class])
                    [json setObject:[NSString stringWithUTF8String:subtype->tag] forKey:@".tag"];
        }
        return json;
    }
    const DBStoneField *field = &table->fields[[self stoneTag]];
    NSString *name = [NSString stringWithUTF8String:field->name];
    id value = [self stoneValues][0];
    if (value != nil) {
        id payload = DBEncode(field->type, value);
        const DBStoneTable *inner = [DBClassOfType(field->type) isSubclassOfClass:[DBStoneObject class]]
            ? [DBClassOfType(field->type) stoneTable] : NULL;
        BOOL isFlat = inner != NULL && !inner->isUnion && inner->subtypes == NULL;
        if (isFlat) [json addEntriesFromDictionary:payload];
        else [json setObject:payload forKey:name];
    }
    [json setObject:name forKey:@".tag"];
    return json;
}

static id decodeStruct(Class class, NSDictionary *json) {
    if (![json isKindOfClass:[NSDictionary class]]) DBRefuse(@"%@ is not an object", class);
    id tag = [json objectForKey:@".tag"];
    const DBStoneSubtype *subtype = [class stoneTable]->subtypes;
    for (; subtype != NULL && subtype->tag != NULL; subtype++) {
        Class other = DBClassOfType(subtype->type);
        if (other != class && [tag isEqual:[NSString stringWithUTF8String:subtype->tag]]) return decodeStruct(other, json);
    }
    const DBStoneTable *table = [class stoneTable];
    DBStoneObject *object = [[[class alloc] init] autorelease];
    makeValues(object, table->count);
    for (int index = 0; index < table->count; index++) {
        const DBStoneField *field = &table->fields[index];
        id value = [json objectForKey:[NSString stringWithUTF8String:field->name]];
        BOOL isMissing = value == nil || value == [NSNull null];
        if (isMissing && field->standard == NULL && field->type[0] != '?')
            DBRefuse(@"%@: the field %s is missing", class, field->name);
        setField(object, table, index, isMissing ? nil : DBDecode(field->type, value));
    }
    return object;
}

static id decodeUnion(Class class, id json) {
    const DBStoneTable *table = [class stoneTable];
    id tag = [json isKindOfClass:[NSDictionary class]] ? [json objectForKey:@".tag"] : json;
    if (![tag isKindOfClass:[NSString class]]) DBRefuse(@"%@ has no tag", class);
    int index = 0, other = -1;
    for (; index < table->count; index++) {
        if (strcmp(table->fields[index].name, "other") == 0) other = index;
        if ([tag isEqual:[NSString stringWithUTF8String:table->fields[index].name]]) break;
    }
    if (index == table->count) index = other;
    if (index < 0) DBRefuse(@"%@ has an unknown tag, %@", class, tag);
    const DBStoneField *field = &table->fields[index];
    id value = nil;
    if (field->type[0] != 'v' && json != tag) {
        const char *payload = field->type + (field->type[0] == '?');
        const DBStoneTable *inner = payload[0] == '@' ? [DBClassOfType(payload) stoneTable] : NULL;
        value = [json objectForKey:[NSString stringWithUTF8String:field->name]];
        if (inner != NULL && !inner->isUnion && inner->subtypes == NULL) {
            // The fields stand beside the tag; of a nullable one none do.
            value = field->type[0] == '?' && [json count] == 1 ? nil : json;
        }
        if (value == [NSNull null]) value = nil;
        if (value != nil) value = DBDecode(payload, value);
    }
    return [setTag([[class alloc] init], index, value) autorelease];
}

@implementation DBStoneObject
+ (void)initialize {
    const DBStoneTable *table = [self stoneTable];
    // A program's own class inherits the table and the methods.
    Class above = class_getSuperclass(self);
    if (table == NULL || (above != [DBStoneObject class] && [above stoneTable] == table)) return;
    if (table->isUnion) addUnionMethods(self, table);
    else addStructMethods(self, table);
}

+ (const DBStoneTable *)stoneTable { return NULL; }
+ (NSDictionary *)serialize:(id)instance {
    if (![instance isKindOfClass:self]) DBRefuse(@"%@ is not a %@", [instance class], self);
    return encodeObject(instance);
}
+ (id)deserialize:(NSDictionary *)json {
    const DBStoneTable *table = [self stoneTable];
    if (table == NULL) DBRefuse(@"%@ is no type of the API", self);
    return table->isUnion ? decodeUnion(self, json) : decodeStruct(self, json);
}
- (id *)stoneValues { return (id *)_stoneValues; }
- (int)stoneTag { return _stoneTag; }
- (void)setStoneValues:(id *)values { _stoneValues = values; }
- (void)setStoneTag:(int)tag { _stoneTag = tag; }
- (NSArray *)stoneParts {
    const DBStoneTable *table = [[self class] stoneTable];
    NSMutableArray *parts = [NSMutableArray array];
    for (int index = 0; _stoneValues != NULL && index < (table->isUnion ? 1 : table->count); index++) {
        id value = ((id *)_stoneValues)[index];
        if ([value isKindOfClass:[DBStoneObject class]]) [parts addObject:value];
    }
    return parts;
}
- (id)copyWithZone:(NSZone *)zone { return [self retain]; }
- (void)dealloc {
    const DBStoneTable *table = [[self class] stoneTable];
    id *values = _stoneValues;
    for (int index = 0; values != NULL && index < (table->isUnion ? 1 : table->count); index++) [values[index] release];
    free(values);
    [super dealloc];
}
- (BOOL)isEqual:(id)other {
    if (self == other) return YES;
    // A class of SwiftyDropboxObjC for a tag has the table of its union.
    if (![other isKindOfClass:[DBStoneObject class]] || [[other class] stoneTable] != [[self class] stoneTable]) return NO;
    return [encodeObject(self) isEqual:encodeObject(other)];
}
- (NSUInteger)hash { return [encodeObject(self) hash]; }
- (NSString *)description { return [encodeObject(self) description]; }
- (NSString *)debugDescription { return [self description]; }
@end

@implementation DBStoneSerializer
+ (Class)stoneClass {
    NSString *name = NSStringFromClass(self);
    return NSClassFromString([name substringToIndex:[name length] - [@"Serializer" length]]);
}
+ (NSDictionary *)serialize:(id)instance { return [[self stoneClass] serialize:instance]; }
+ (id)deserialize:(NSDictionary *)json { return [[self stoneClass] deserialize:json]; }
@end
