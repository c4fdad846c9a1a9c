// Routes, from a table or as a program makes them.

#import "DBStoneBase.h"
#import "DBStoneTables.h"
#import <Block.h>

@implementation DBRoute
@synthesize name = _name, namespace_ = _namespace, deprecated = _deprecated, attrs = _attrs;

- (instancetype)init:(NSString *)name
                 namespace_:(NSString *)namespace_
                 deprecated:(NSNumber *)deprecated
                 resultType:(Class<DBSerializable>)resultType
                  errorType:(Class<DBSerializable>)errorType
                      attrs:(NSDictionary *)attrs
      dataStructSerialBlock:(id (^)(id))dataStructSerialBlock
    dataStructDeserialBlock:(id (^)(id))dataStructDeserialBlock {
    if ((self = [super init]) != nil) {
        _name = [name copy];
        _namespace = [namespace_ copy];
        _deprecated = [deprecated retain];
        _resultType = resultType;
        _errorType = errorType;
        _attrs = [attrs copy];
        if (dataStructSerialBlock != nil) _dataStructSerialBlock = Block_copy(dataStructSerialBlock);
        if (dataStructDeserialBlock != nil) _dataStructDeserialBlock = Block_copy(dataStructDeserialBlock);
    }
    return self;
}

+ (DBRoute *)routeWithTable:(const DBRouteTable *)table {
    static NSMapTable *routes;
    @synchronized([DBRoute class]) {
        if (routes == nil) routes = NSCreateMapTable(NSNonOwnedPointerMapKeyCallBacks, NSObjectMapValueCallBacks, 64);
        DBRoute *route = NSMapGet(routes, table);
        if (route == nil) {
            NSDictionary *attrs = [NSDictionary dictionaryWithObjectsAndKeys:[NSString stringWithUTF8String:table->auth], @"auth",
                [NSString stringWithUTF8String:table->host], @"host", [NSString stringWithUTF8String:table->style], @"style", nil];
            route = [[[self alloc] init:[NSString stringWithUTF8String:table->name]
                             namespace_:[NSString stringWithUTF8String:table->space]
                             deprecated:[NSNumber numberWithBool:table->isDeprecated]
                             resultType:DBClassOfType(table->result)
                              errorType:DBClassOfType(table->error)
                                  attrs:attrs
                  dataStructSerialBlock:nil
                dataStructDeserialBlock:nil] autorelease];
            route->_types = (void *)table;
            NSMapInsert(routes, table, route);
        }
        return route;
    }
}

- (Class<DBSerializable>)resultType { return _resultType; }
- (Class<DBSerializable>)errorType { return _errorType; }
- (id (^)(id))dataStructSerialBlock { return _dataStructSerialBlock; }
- (id (^)(id))dataStructDeserialBlock { return _dataStructDeserialBlock; }
- (NSString *)path { return [NSString stringWithFormat:@"%@/%@", _namespace, _name]; }
- (const DBRouteTable *)table { return _types; }

- (id)encodedArgument:(id)argument {
    const DBRouteTable *table = _types;
    if (table != NULL) return table->argument[0] == 'v' ? nil : DBEncode(table->argument, argument);
    if (argument == nil) return nil;
    return _dataStructSerialBlock != nil ? _dataStructSerialBlock(argument) : [[argument class] serialize:argument];
}

- (id)decodedResult:(id)json {
    const DBRouteTable *table = _types;
    if (_resultType == Nil) return [[[DBNilObject alloc] init] autorelease];
    if (table != NULL) return DBDecode(table->result, json);
    return _dataStructDeserialBlock != nil ? _dataStructDeserialBlock(json) : [(Class)_resultType deserialize:json];
}

- (id)decodedError:(id)json {
    const DBRouteTable *table = _types;
    if (_errorType == Nil) return nil;
    return table != NULL ? DBDecode(table->error, json) : [(Class)_errorType deserialize:json];
}

- (void)dealloc {
    [_name release], [_namespace release], [_deprecated release], [_attrs release];
    if (_dataStructSerialBlock != nil) Block_release(_dataStructSerialBlock);
    if (_dataStructDeserialBlock != nil) Block_release(_dataStructDeserialBlock);
    [super dealloc];
}
@end

@implementation DBNilObject
- (NSString *)description { return @"(nil)"; }
@end
