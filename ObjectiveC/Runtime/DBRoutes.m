// What the classes of routes have in common.

#import "DBRoutes.h"

@implementation DBRoutes
@synthesize client = _client;
- (instancetype)init:(id<DBTransportClient>)client {
    if ((self = [super init]) != nil) _client = [(id)client retain];
    return self;
}
- (void)dealloc {
    [(id)_client release];
    [super dealloc];
}
@end
