// Errors of libdropbox as those of this library.

#import "DBFailure.h"
#import "DBAUTH.h"
#import "DBCOMMON.h"
#import "DBJSON.h"
#import <string.h>

static NSString *text(const char *text) { return text == NULL ? nil : [NSString stringWithUTF8String:text]; }

DBRequestError *DBLocalFailure(NSString *domain, NSInteger code, NSString *message) {
    NSDictionary *info = [NSDictionary dictionaryWithObjectsAndKeys:message, NSLocalizedDescriptionKey, nil];
    return [[[DBRequestError alloc] initAsClientError:[NSError errorWithDomain:domain code:code userInfo:info]] autorelease];
}

/// The value of a class from a part of a response; nil where the part is missing, or is of another kind.
static id structured(Class class, id json) {
    @try {
        return json == nil ? nil : [class deserialize:json];
    } @catch (NSException *exception) {
        return nil;
    }
}

static DBRequestError *clientFailure(const dropbox_error *error) {
    switch (error->kind) {
        case DROPBOX_ERROR_CANCELLED: return DBLocalFailure(NSURLErrorDomain, NSURLErrorCancelled, @"cancelled");
        case DROPBOX_ERROR_NETWORK:
            return DBLocalFailure(NSURLErrorDomain, error->is_connectivity_loss ? NSURLErrorNotConnectedToInternet
                                                                               : NSURLErrorNetworkConnectionLost, text(error->summary));
        case DROPBOX_ERROR_TARGET_EXISTS: return DBLocalFailure(NSCocoaErrorDomain, 516, text(error->summary));
        default: return DBLocalFailure(DBErrorDomain, error->kind, text(error->summary));
    }
}

DBRequestError *DBFailureOf(const dropbox_error *error) {
    if (error == NULL) return DBLocalFailure(DBErrorDomain, DROPBOX_ERROR_OTHER, @"there is no memory");
    id body = DBJSONRead(error->body);
    if (![body isKindOfClass:[NSDictionary class]]) body = nil;
    id inner = [body objectForKey:@"error"];
    id summary = [body objectForKey:@"error_summary"];
    NSString *content = [summary isKindOfClass:[NSString class]] ? summary : [inner isKindOfClass:[NSString class]] ? inner
        : error->body != NULL ? text(error->body) : text(error->tag);
    DBLocalizedUserMessage *message = error->message_locale == NULL ? nil
        : [[[DBLocalizedUserMessage alloc] initWithText:text(error->message) locale:text(error->message_locale)] autorelease];
    NSString *request = text(error->request_id);
    NSNumber *status = [NSNumber numberWithInt:error->http_status];
    DBRequestError *failure = [DBRequestError alloc];
    // The status, not the kind: a response that is refused for its content is a failure of this side.
    BOOL isHttp = error->kind >= DROPBOX_ERROR_ROUTE && error->kind <= DROPBOX_ERROR_HTTP && error->http_status != 0;
    switch (isHttp ? error->kind : 0) {
        case DROPBOX_ERROR_INTERNAL_SERVER:
            failure = [failure initAsInternalServerError:request statusCode:status errorContent:content userMessage:message];
            break;
        case DROPBOX_ERROR_BAD_INPUT:
            failure = [failure initAsBadInputError:request statusCode:status errorContent:content userMessage:message];
            break;
        case DROPBOX_ERROR_AUTH:
            failure = [failure initAsAuthError:request statusCode:status errorContent:content userMessage:message
                           structuredAuthError:structured([DBAUTHAuthError class], inner)];
            break;
        case DROPBOX_ERROR_ACCESS:
            failure = [failure initAsAccessError:request statusCode:status errorContent:content userMessage:message
                           structuredAccessError:structured([DBAUTHAccessError class], inner)];
            break;
        case DROPBOX_ERROR_PATH_ROOT:
            failure = [failure initAsPathRootError:request statusCode:status errorContent:content userMessage:message
                           structuredPathRootError:structured([DBCOMMONPathRootError class], inner)];
            break;
        case DROPBOX_ERROR_RATE_LIMITED: {
            int64_t pause = error->retry_after_ms < 0 ? 0 : error->retry_after_ms;
            failure = [failure initAsRateLimitError:request statusCode:status errorContent:content userMessage:message
                           structuredRateLimitError:structured([DBAUTHRateLimitError class], inner)
                                            backoff:[NSNumber numberWithDouble:(double)pause / 1000]];
            break;
        }
        case DROPBOX_ERROR_ROUTE:
        case DROPBOX_ERROR_HTTP:
            failure = [failure initAsHttpError:request statusCode:status errorContent:content userMessage:message];
            break;
        default:
            [failure release];
            return clientFailure(error);
    }
    return [failure autorelease];
}

/// The JSON that the tags of an error were taken from, without its other fields: `path/not_found`.
static id jsonOfTags(NSString *tags) {
    NSMutableDictionary *json = nil;
    for (NSString *tag in [[tags componentsSeparatedByString:@"/"] reverseObjectEnumerator]) {
        NSMutableDictionary *outer = [NSMutableDictionary dictionaryWithObject:tag forKey:@".tag"];
        if (json != nil) [outer setObject:json forKey:tag];
        json = outer;
    }
    return json;
}

/// An upload through a session is refused by another route than the one that was called; the reasons are the same.
static id uploadError(id json) {
    if (![json isKindOfClass:[NSDictionary class]] || ![[json objectForKey:@".tag"] isEqual:@"path"]) return nil;
    id reason = [json objectForKey:@"path"];
    if (reason == nil) return nil;
    return [NSDictionary dictionaryWithObjectsAndKeys:@"path", @".tag", reason, @"reason", @"", @"upload_session_id", nil];
}

id DBRouteErrorOf(DBRoute *route, const dropbox_error *error) {
    if (error == NULL || error->kind != DROPBOX_ERROR_ROUTE) return nil;
    id body = DBJSONRead(error->body);
    NSMutableArray *candidates = [NSMutableArray array];
    if ([body isKindOfClass:[NSDictionary class]] && [body objectForKey:@"error"] != nil)
        [candidates addObject:[body objectForKey:@"error"]];
    if (error->tag != NULL) [candidates addObject:jsonOfTags(text(error->tag))];
    BOOL isOther = error->route != NULL && ![text(error->route) isEqual:[route path]];
    if (isOther && ![[route path] isEqual:@"files/upload"]) return nil;
    for (id json in candidates) {
        @try {
            id own = isOther ? uploadError(json) : json;
            if (own != nil) return [route decodedError:own];
        } @catch (NSException *exception) {
            // The next candidate has less in it.
        }
    }
    return nil;
}
