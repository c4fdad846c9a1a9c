// What the three kinds of clients have in common.

#import "DBBaseClient.h"

@implementation DBBaseClient
- (instancetype)initWithTransportClient:(id<DBTransportClient>)client {
    if ((self = [super init]) != nil) {
        _transportClient = [(id)client retain];
        _routes = [[NSMutableDictionary alloc] init];
    }
    return self;
}
- (id)routesOfClass:(Class)class {
    @synchronized(self) {
        id routes = [_routes objectForKey:NSStringFromClass(class)];
        if (routes == nil) {
            routes = [[[class alloc] init:_transportClient] autorelease];
            [_routes setObject:routes forKey:NSStringFromClass(class)];
        }
        return [[routes retain] autorelease];
    }
}
- (void)dealloc {
    [(id)_transportClient release], [_routes release];
    [super dealloc];
}
@end
