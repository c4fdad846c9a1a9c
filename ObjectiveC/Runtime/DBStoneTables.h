// The tables that say what generated types and routes consist of, and the macros that declare them. Types have no code of their own:
// their classes get their methods when they are used first (DBStoneObject.m). Not for programs.
//
// A type is written as text: s string, b boolean, i integer, f float, t<FORMAT> time, v nothing, ?X nullable X, [X list, {X map of
// strings to X, @CLASS; struct or union.

#import "DBStoneBase.h"

/// A field of a struct, or a tag of a union.
typedef struct {
    const char *member;   ///< as it is called here
    const char *name;     ///< as it is called in JSON
    const char *type;     ///< v for a tag without payload
    const char *standard; ///< JSON of the value when there is none; NULL without one
} DBStoneField;

typedef struct {
    const char *tag;
    const char *type;
} DBStoneSubtype;

typedef struct {
    BOOL isUnion;
    int required; ///< of a struct: how many fields have to be there; these are the first
    int count;
    const DBStoneField *fields;
    const DBStoneSubtype *subtypes; ///< of a struct that stands for several: ends with a NULL; otherwise NULL
    BOOL isClosed;                  ///< of a union: other tags are no values of it
} DBStoneTable;

typedef struct {
    const char *space, *name, *host, *style, *auth;
    BOOL isDeprecated;
    const char *argument, *result, *error;
} DBRouteTable;

@interface DBStoneObject (Tables)
/// NULL for the class that is none of the API's.
+ (const DBStoneTable *)stoneTable;
/// The structs and unions that it holds.
- (NSArray *)stoneParts;
@end

/// The value of JSON, as `type` has it; raises NSInvalidArgumentException.
id DBDecode(const char *type, id json);
/// The JSON of a value; raises NSInvalidArgumentException for one that is not of the type.
id DBEncode(const char *type, id value);
/// The class of a type's values, without its being nullable; Nil for none.
Class DBClassOfType(const char *type);
/// Raises NSInvalidArgumentException.
void DBRefuse(NSString *format, ...) __attribute__((noreturn, format(__NSString__, 1, 2)));

@interface DBRoute (Tables)
+ (DBRoute *)routeWithTable:(const DBRouteTable *)table;
/// `files/list_folder`
- (NSString *)path;
- (const DBRouteTable *)table;
/// JSON of an argument; nil without one.
- (id)encodedArgument:(id)argument;
- (id)decodedResult:(id)json;
- (id)decodedError:(id)json;
@end

#define DB_SERIALIZER(type) \
    @implementation type##Serializer \
    @end
#define DB_SUBTYPES(type, ...) static const DBStoneSubtype type##Subtypes[] = {__VA_ARGS__, {NULL, NULL}};
#define DB_STRUCT(type, needed, total, subclasses, ...) \
    @implementation type \
    +(const DBStoneTable *)stoneTable { \
        static const DBStoneField fields[] = {__VA_ARGS__}; \
        static const DBStoneTable table = {NO, needed, total, fields, subclasses, NO}; \
        return &table; \
    } \
    @end \
    DB_SERIALIZER(type)
#define DB_UNION(type, closed, total, ...) \
    @implementation type \
    +(const DBStoneTable *)stoneTable { \
        static const DBStoneField fields[] = {__VA_ARGS__}; \
        static const DBStoneTable table = {YES, 0, total, fields, NULL, closed}; \
        return &table; \
    } \
    @end \
    DB_SERIALIZER(type)
#define DB_ROUTE(method, ...) \
    +(DBRoute *)method { \
        static const DBRouteTable table = {__VA_ARGS__}; \
        return [DBRoute routeWithTable:&table]; \
    }
