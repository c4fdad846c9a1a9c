// The header that Swift's compiler writes for SwiftyDropboxObjC has this name.

#import "SwiftyDropboxObjC.h"
