// Stored tokens, and what a token is. A file appears with all of its content, and is private from its first moment.

#define _GNU_SOURCE
#import "DBSDKKeychain.h"
#import "DBJSON.h"
#import "DBOAuthManager.h"
#import <fcntl.h>
#import <stdlib.h>
#import <string.h>
#import <sys/stat.h>
#import <unistd.h>

@implementation DBAccessToken
@synthesize accessToken = _accessToken, uid = _uid, refreshToken = _refreshToken,
            tokenExpirationTimestamp = _tokenExpirationTimestamp;
+ (DBAccessToken *)createWithLongLivedAccessToken:(NSString *)accessToken uid:(NSString *)uid {
    return [[[self alloc] initWithAccessToken:accessToken uid:uid] autorelease];
}
+ (DBAccessToken *)createWithShortLivedAccessToken:(NSString *)accessToken
                                               uid:(NSString *)uid
                                      refreshToken:(NSString *)refreshToken
                          tokenExpirationTimestamp:(NSTimeInterval)timestamp {
    return [[[self alloc] initWithAccessToken:accessToken uid:uid refreshToken:refreshToken
                     tokenExpirationTimestamp:timestamp] autorelease];
}
- (instancetype)initWithAccessToken:(NSString *)accessToken uid:(NSString *)uid {
    return [self initWithAccessToken:accessToken uid:uid refreshToken:nil tokenExpirationTimestamp:0];
}
- (instancetype)initWithAccessToken:(NSString *)accessToken
                                uid:(NSString *)uid
                       refreshToken:(NSString *)refreshToken
           tokenExpirationTimestamp:(NSTimeInterval)timestamp {
    if ((self = [super init]) != nil) {
        _accessToken = [accessToken copy], _uid = [uid copy], _refreshToken = [refreshToken copy];
        _tokenExpirationTimestamp = timestamp;
    }
    return self;
}
+ (BOOL)supportsSecureCoding { return YES; }
- (void)encodeWithCoder:(NSCoder *)coder {
    [coder encodeObject:_accessToken], [coder encodeObject:_uid], [coder encodeObject:_refreshToken];
    [coder encodeObject:[NSNumber numberWithDouble:_tokenExpirationTimestamp]];
}
- (id)initWithCoder:(NSCoder *)coder {
    id access = [coder decodeObject], uid = [coder decodeObject], refresh = [coder decodeObject];
    return [self initWithAccessToken:access uid:uid refreshToken:refresh
            tokenExpirationTimestamp:[[coder decodeObject] doubleValue]];
}
- (void)dealloc {
    [_accessToken release], [_uid release], [_refreshToken release];
    [super dealloc];
}
@end

@implementation DBSDKKeychain
/// The folder, which is made if it is missing; nil if that fails.
+ (NSString *)folder {
    const char *state = getenv("XDG_STATE_HOME");
    NSString *base = state != NULL && state[0] == '/' ? [NSString stringWithUTF8String:state]
                                                      : [NSHomeDirectory() stringByAppendingPathComponent:@".local/state"];
    NSString *program = [[[NSProcessInfo processInfo] processName] lastPathComponent];
    NSString *folder = [[base stringByAppendingPathComponent:@"ObjectiveDropboxOfficial"] stringByAppendingPathComponent:program];
    NSDictionary *mode = [NSDictionary dictionaryWithObject:[NSNumber numberWithInt:0700] forKey:NSFilePosixPermissions];
    BOOL isThere = [[NSFileManager defaultManager] createDirectoryAtPath:folder withIntermediateDirectories:YES attributes:mode
                                                                   error:NULL];
    return isThere && chmod([folder fileSystemRepresentation], 0700) == 0 ? folder : nil;
}
/// A name for a file that no uid can lead out of the folder.
+ (NSString *)nameOf:(NSString *)uid {
    NSMutableString *name = [NSMutableString string];
    for (const char *byte = [uid UTF8String]; byte != NULL && *byte != 0; byte++)
        [name appendFormat:@"%02x", (unsigned char)*byte];
    return [name stringByAppendingString:@".token"];
}
+ (NSString *)uidOf:(NSString *)name {
    NSMutableData *bytes = [NSMutableData data];
    NSString *digits = [name stringByDeletingPathExtension];
    for (NSUInteger place = 0; place + 1 < [digits length]; place += 2) {
        unsigned char byte = (unsigned char)strtoul([[digits substringWithRange:NSMakeRange(place, 2)] UTF8String], NULL, 16);
        [bytes appendBytes:&byte length:1];
    }
    return [[[NSString alloc] initWithData:bytes encoding:NSUTF8StringEncoding] autorelease];
}
+ (BOOL)storeAccessToken:(DBAccessToken *)token {
    NSString *folder = [self folder];
    NSDictionary *values = [NSDictionary dictionaryWithObjectsAndKeys:token.accessToken, @"access_token", token.uid, @"uid",
        [NSNumber numberWithDouble:token.tokenExpirationTimestamp], @"expires", token.refreshToken, @"refresh_token", nil];
    if (folder == nil || token.uid == nil || token.accessToken == nil) return NO;
    NSData *text = [DBJSONText(values) dataUsingEncoding:NSUTF8StringEncoding];
    char *part = strdup([[folder stringByAppendingPathComponent:@".XXXXXX"] fileSystemRepresentation]);
    int descriptor = part == NULL ? -1 : mkostemp(part, O_CLOEXEC);
    NSString *file = [folder stringByAppendingPathComponent:[self nameOf:token.uid]];
    BOOL isStored = descriptor >= 0 && write(descriptor, [text bytes], [text length]) == (ssize_t)[text length]
        && fsync(descriptor) == 0 && rename(part, [file fileSystemRepresentation]) == 0;
    if (descriptor >= 0) close(descriptor);
    if (descriptor >= 0 && !isStored) unlink(part);
    free(part);
    return isStored;
}
+ (DBAccessToken *)retrieveTokenWithUid:(NSString *)uid {
    NSString *file = [[self folder] stringByAppendingPathComponent:[self nameOf:uid]];
    NSData *data = file == nil ? nil : [NSData dataWithContentsOfFile:file];
    NSString *text = data == nil ? nil : [[[NSString alloc] initWithData:data encoding:NSUTF8StringEncoding] autorelease];
    id values = DBJSONRead([text UTF8String]);
    if (![values isKindOfClass:[NSDictionary class]]) return nil;
    id access = [values objectForKey:@"access_token"], refresh = [values objectForKey:@"refresh_token"];
    id expires = [values objectForKey:@"expires"];
    if (![access isKindOfClass:[NSString class]]) return nil;
    return [DBAccessToken createWithShortLivedAccessToken:access uid:uid
        refreshToken:[refresh isKindOfClass:[NSString class]] ? refresh : nil
        tokenExpirationTimestamp:[expires isKindOfClass:[NSNumber class]] ? [expires doubleValue] : 0];
}
+ (NSArray *)retrieveAllTokenIds {
    NSMutableArray *names = [NSMutableArray array];
    NSString *folder = [self folder];
    for (NSString *name in folder == nil ? nil : [[NSFileManager defaultManager] contentsOfDirectoryAtPath:folder error:NULL]) {
        NSString *uid = [[name pathExtension] isEqual:@"token"] ? [self uidOf:name] : nil;
        if (uid != nil) [names addObject:uid];
    }
    return names;
}
+ (BOOL)deleteTokenWithUid:(NSString *)uid {
    NSString *file = [[self folder] stringByAppendingPathComponent:[self nameOf:uid]];
    return file != nil && unlink([file fileSystemRepresentation]) == 0;
}
+ (BOOL)clearAllTokens {
    BOOL isClear = YES;
    for (NSString *uid in [self retrieveAllTokenIds]) isClear = [self deleteTokenWithUid:uid] && isClear;
    return isClear;
}
@end
