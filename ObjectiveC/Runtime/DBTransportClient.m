// What sends requests: connections of libdropbox for one account, made anew when its token changes.

#import "DBTransportClient.h"
#import "DBAccessTokenProvider.h"
#import "DBCall.h"
#import "DBCOMMON.h"
#import "DBFailure.h"
#import "DBJSON.h"
#import "DBOAuthManager.h"
#import "DBOAuthResult.h"
#import "DBTransportConnection.h"
#import <Block.h>

dropbox_config *DBNewConfig(NSString *appKey, NSString *appSecret, NSString *userAgent, DBTransportBaseHostnameConfig *hosts) {
    dropbox_config *config = dropbox_config_new();
    if (appKey != nil) dropbox_config_set_text(config, DROPBOX_APP_KEY, [appKey UTF8String], NULL);
    if (appSecret != nil) dropbox_config_set_text(config, DROPBOX_APP_SECRET, [appSecret UTF8String], NULL);
    if (userAgent != nil) dropbox_config_set_text(config, DROPBOX_USER_AGENT, [userAgent UTF8String], NULL);
    DBTransportBaseHostnameConfig *usual = [[[DBTransportBaseHostnameConfig alloc] init] autorelease];
    if (hosts == nil) return config;
    NSArray *own = [NSArray arrayWithObjects:hosts.api, hosts.content, hosts.downloadContent, hosts.notify, nil];
    if ([own isEqual:[NSArray arrayWithObjects:usual.api, usual.content, usual.downloadContent, usual.notify, nil]]) return config;
    NSString *server = [hosts.api rangeOfString:@"://"].length > 0 ? hosts.api : [@"https://" stringByAppendingString:hosts.api];
    // Requests that were meant for another server must not go to Dropbox's.
    if ([[NSSet setWithArray:own] count] != 1 || dropbox_config_set_text(config, DROPBOX_ENDPOINT, [server UTF8String], NULL) != 0) {
        dropbox_config_free(config);
        return NULL;
    }
    return config;
}

// NSObject has an -init that is not to be used.
#pragma clang diagnostic ignored "-Wincomplete-implementation"

static DBRequestError *unusable(void) {
    return DBLocalFailure(DBErrorDomain, DROPBOX_ERROR_INVALID_ARGUMENT,
                          @"the servers cannot be used: api, content and notify have to be the same one");
}

@implementation DBTransportBaseClient
@synthesize accessTokenProvider = _accessTokenProvider, tokenUid = _tokenUid;

- (instancetype)initWithAccessTokenProvider:(id<DBAccessTokenProvider>)accessTokenProvider
                                   tokenUid:(NSString *)tokenUid
                            transportConfig:(DBTransportBaseConfig *)transportConfig {
    if ((self = [super init]) != nil) {
        _accessTokenProvider = [(id)accessTokenProvider retain];
        _tokenUid = [tokenUid copy];
        _config = transportConfig == nil ? [[DBTransportDefaultConfig alloc] initWithAppKey:nil userAgent:nil] : [transportConfig retain];
    }
    return self;
}
- (instancetype)initWithAccessToken:(NSString *)accessToken
                           tokenUid:(NSString *)tokenUid
                    transportConfig:(DBTransportBaseConfig *)transportConfig {
    id provider = accessToken == nil ? nil : [[[DBLongLivedAccessTokenProvider alloc] initWithTokenString:accessToken] autorelease];
    return [self initWithAccessTokenProvider:provider tokenUid:tokenUid transportConfig:transportConfig];
}
- (NSString *)userAgent { return _config.userAgent; }
- (NSString *)appKey { return _config.appKey; }
- (NSString *)appSecret { return _config.appSecret; }
- (NSString *)asMemberId { return _config.asMemberId; }
- (DBCOMMONPathRoot *)pathRoot { return _config.pathRoot; }
- (NSDictionary *)additionalHeaders { return _config.additionalHeaders; }

- (dropbox_client *)newConnection:(NSString *)token attempts:(int)attempts error:(dropbox_error **)error {
    dropbox_config *config = DBNewConfig(_config.appKey, _config.appSecret, _config.userAgent, _config.hostnameConfig);
    if (config == NULL) return NULL;
    if (attempts > 0) {
        dropbox_config_set_number(config, DROPBOX_MAX_ATTEMPTS, attempts, NULL);
        dropbox_config_set_number(config, DROPBOX_MAX_THROTTLES, 0, NULL);
    }
    dropbox_client *client = token == nil ? dropbox_client_for_app(config, error)
                                          : dropbox_client_with_token(config, [token UTF8String], error);
    dropbox_config_free(config);
    if (client != NULL && _config.asMemberId != nil) {
        dropbox_client *other = dropbox_client_as_member(client, [_config.asMemberId UTF8String], error);
        dropbox_client_free(client);
        client = other;
    }
    if (client != NULL && _config.pathRoot != nil) {
        NSString *root = DBJSONText([DBCOMMONPathRoot serialize:_config.pathRoot]);
        dropbox_client *other = dropbox_client_with_root(client, [root UTF8String], error);
        dropbox_client_free(client);
        client = other;
    }
    return client;
}

- (void)dealloc {
    dropbox_client_free(_connection);
    [_connectionToken release], [(id)_accessTokenProvider release], [_tokenUid release], [_config release];
    [super dealloc];
}
@end

@implementation DBTransportDefaultClient
- (NSOperationQueue *)delegateQueue { return [(DBTransportDefaultConfig *)_config delegateQueue]; }
- (BOOL)forceForegroundSession { return [(DBTransportDefaultConfig *)_config forceForegroundSession]; }

- (DBTransportDefaultConfig *)configAs:(NSString *)member root:(DBCOMMONPathRoot *)root {
    BOOL isDefault = [_config isKindOfClass:[DBTransportDefaultConfig class]];
    return [[[DBTransportDefaultConfig alloc] initWithAppKey:_config.appKey appSecret:_config.appSecret
        hostnameConfig:_config.hostnameConfig redirectURL:_config.redirectURL userAgent:nil asMemberId:member pathRoot:root
        additionalHeaders:nil delegateQueue:isDefault ? [self delegateQueue] : nil
        forceForegroundSession:isDefault && [self forceForegroundSession] sharedContainerIdentifier:nil] autorelease];
}
- (DBTransportDefaultConfig *)duplicateTransportConfigWithAsMemberId:(NSString *)asMemberId {
    return [self configAs:asMemberId root:_config.pathRoot];
}
- (DBTransportDefaultConfig *)duplicateTransportConfigWithPathRoot:(DBCOMMONPathRoot *)pathRoot {
    return [self configAs:_config.asMemberId root:pathRoot];
}

- (void)withToken:(void (^)(NSString *token, DBRequestError *failure))block {
    id<DBAccessTokenProvider> provider = self.accessTokenProvider;
    if (provider == nil) {
        block(nil, nil);
        return;
    }
    [provider refreshAccessTokenIfNecessary:^(DBOAuthResult *result) {
        if (result != nil && ![result isSuccess])
            block(nil, DBLocalFailure(DBErrorDomain, DROPBOX_ERROR_TOKEN, [result description]));
        else
            block(result == nil ? provider.accessToken : result.accessToken.accessToken, nil);
    }];
}

- (void)connect:(void (^)(dropbox_client *, DBRequestError *))block {
    [self withToken:^(NSString *token, DBRequestError *failure) {
        if (failure != nil) {
            block(NULL, failure);
            return;
        }
        dropbox_client *connection = NULL;
        dropbox_error *error = NULL;
        @synchronized(self) {
            BOOL isCurrent = self->_connectionToken == token || [self->_connectionToken isEqual:token];
            if (self->_connection == NULL || !isCurrent) {
                dropbox_client_free(self->_connection);
                // Each request is sent once: what to do about a failure is the program's.
                self->_connection = [self newConnection:token attempts:1 error:&error];
                [self->_connectionToken autorelease];
                self->_connectionToken = [token copy];
            }
            connection = self->_connection;
            // Within the lock, so that another thread with another token does not free it.
            if (connection != NULL) block(connection, nil);
        }
        if (connection == NULL) {
            block(NULL, error == NULL ? unusable() : DBFailureOf(error));
            dropbox_error_free(error);
        }
    }];
}

- (void)connectPersistently:(void (^)(dropbox_client *, DBRequestError *))block {
    [self withToken:^(NSString *token, DBRequestError *failure) {
        dropbox_error *error = NULL;
        dropbox_client *connection = failure != nil ? NULL : [self newConnection:token attempts:0 error:&error];
        block(connection, failure != nil ? failure : connection != NULL ? nil : error == NULL ? unusable() : DBFailureOf(error));
        dropbox_error_free(error);
        dropbox_client_free(connection);
    }];
}

// MARK: Requests

- (DBCall *)callOf:(DBCallKind)kind route:(DBRoute *)route arg:(id)arg class:(Class)class {
    DBCall *call = [[[DBCall alloc] init] autorelease];
    call->kind = kind, call->client = [self retain], call->route = [route retain], call->taskClass = class;
    call->argument = [[route encodedArgument:arg] retain];
    return call;
}
- (id)started:(DBCall *)call {
    DBTask *task = [call task];
    [call start];
    return task;
}

- (DBRpcTask *)requestRpc:(DBRoute *)route arg:(id)arg {
    return [self started:[self callOf:DBCallRpc route:route arg:arg class:[DBRpcTask class]]];
}
- (DBUploadTask *)requestUpload:(DBRoute *)route arg:(id)arg inputUrl:(NSString *)input {
    DBCall *call = [self callOf:DBCallUploadFile route:route arg:arg class:[DBUploadTask class]];
    call->file = [input hasPrefix:@"file:"] ? [[[NSURL URLWithString:input] path] copy] : [input copy];
    return [self started:call];
}
- (DBUploadTask *)requestUpload:(DBRoute *)route arg:(id)arg inputData:(NSData *)input {
    DBCall *call = [self callOf:DBCallUploadData route:route arg:arg class:[DBUploadTask class]];
    call->data = [input copy];
    return [self started:call];
}
- (DBUploadTask *)requestUpload:(DBRoute *)route arg:(id)arg inputStream:(NSInputStream *)input {
    DBCall *call = [self callOf:DBCallUploadStream route:route arg:arg class:[DBUploadTask class]];
    call->stream = [input retain];
    return [self started:call];
}
- (DBDownloadUrlTask *)requestDownload:(DBRoute *)route arg:(id)arg overwrite:(BOOL)overwrite destination:(NSURL *)destination {
    return [self requestDownload:route arg:arg overwrite:overwrite destination:destination byteOffsetStart:nil byteOffsetEnd:nil];
}
- (DBDownloadUrlTask *)requestDownload:(DBRoute *)route
                                   arg:(id)arg
                             overwrite:(BOOL)overwrite
                           destination:(NSURL *)destination
                       byteOffsetStart:(NSNumber *)byteOffsetStart
                         byteOffsetEnd:(NSNumber *)byteOffsetEnd {
    DBCall *call = [self callOf:DBCallDownloadFile route:route arg:arg class:[DBDownloadUrlTask class]];
    call->destination = [destination retain], call->overwrite = overwrite;
    call->first = [byteOffsetStart retain], call->last = [byteOffsetEnd retain];
    return [self started:call];
}
- (DBDownloadDataTask *)requestDownload:(DBRoute *)route arg:(id)arg {
    return [self requestDownload:route arg:arg byteOffsetStart:nil byteOffsetEnd:nil];
}
- (DBDownloadDataTask *)requestDownload:(DBRoute *)route
                                    arg:(id)arg
                        byteOffsetStart:(NSNumber *)byteOffsetStart
                          byteOffsetEnd:(NSNumber *)byteOffsetEnd {
    DBCall *call = [self callOf:DBCallDownloadData route:route arg:arg class:[DBDownloadDataTask class]];
    call->first = [byteOffsetStart retain], call->last = [byteOffsetEnd retain];
    return [self started:call];
}
@end
