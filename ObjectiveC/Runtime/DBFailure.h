// Errors of libdropbox as those of this library. Not for programs.

#import "DBRequestErrors.h"
#import "DBStoneTables.h"
#import <dropbox.h>

/// Never nil.
DBRequestError *DBFailureOf(const dropbox_error *error);
/// A failure before anything was sent, or of a local file.
DBRequestError *DBLocalFailure(NSString *domain, NSInteger code, NSString *message);
/// The route's own error; nil for failures of another kind.
id DBRouteErrorOf(DBRoute *route, const dropbox_error *error);
