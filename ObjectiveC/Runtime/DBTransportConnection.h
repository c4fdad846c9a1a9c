// What the library's own parts need of a transport client. Not for programs.

#import "DBTransportClient.h"
#import <dropbox.h>

@interface DBTransportDefaultClient (Persistence)
/// Calls the block with connections that send again what was lost or refused for the moment; they are freed when it returns.
- (void)connectPersistently:(void (^)(dropbox_client *connection, DBRequestError *failure))block;
@end

/// NULL for a server that cannot be used.
dropbox_config *DBNewConfig(NSString *appKey, NSString *appSecret, NSString *userAgent, DBTransportBaseHostnameConfig *hosts);
