// All of the names of SwiftyDropboxObjC.

#import "DBXGenerated.h"
#import "DBXClients.h"
#import "DBXLogins.h"
