// Settings of clients.

#import "DBTransportConfig.h"
#import "DBCOMMON.h"
#import "DBSDKConstants.h"
#import "DBStoneTables.h"

@implementation DBRoute (DropboxHost)
- (DBRouteHost)host {
    NSString *host = [self.attrs objectForKey:@"host"];
    return [host isEqual:@"api"] ? DBRouteHostApi : [host isEqual:@"content"] ? DBRouteHostContent
        : [host isEqual:@"notify"] ? DBRouteHostNotify : DBRouteHostUnknown;
}
@end

@implementation DBTransportBaseHostnameConfig
@synthesize meta = _meta, api = _api, content = _content, downloadContent = _downloadContent, notify = _notify;
- (instancetype)init {
    return [self initWithMeta:@"www.dropbox.com" api:@"api.dropbox.com" content:@"api-content.dropbox.com"
                       notify:@"notify.dropboxapi.com"];
}
- (instancetype)initWithMeta:(NSString *)meta api:(NSString *)api content:(NSString *)content notify:(NSString *)notify {
    return [self initWithMeta:meta api:api content:content downloadContent:content notify:notify];
}
- (instancetype)initWithMeta:(NSString *)meta
                         api:(NSString *)api
                     content:(NSString *)content
             downloadContent:(NSString *)downloadContent
                      notify:(NSString *)notify {
    if ((self = [super init]) != nil) {
        _meta = [meta copy], _api = [api copy], _content = [content copy];
        _downloadContent = [downloadContent copy], _notify = [notify copy];
    }
    return self;
}
- (NSString *)apiV2PrefixWithRoute:(DBRoute *)route {
    NSString *host = nil;
    switch (route.host) {
        case DBRouteHostApi: host = _api; break;
        case DBRouteHostContent: host = [[route.attrs objectForKey:@"style"] isEqual:@"download"] ? _downloadContent : _content; break;
        case DBRouteHostNotify: host = _notify; break;
        default: return nil;
    }
    return [NSString stringWithFormat:@"%@%@/2", [host rangeOfString:@"://"].length > 0 ? @"" : @"https://", host];
}
- (id)copyWithZone:(NSZone *)zone { return [self retain]; }
- (void)dealloc {
    [_meta release], [_api release], [_content release], [_downloadContent release], [_notify release];
    [super dealloc];
}
@end

@implementation DBTransportBaseConfig
@synthesize appKey = _appKey, appSecret = _appSecret, hostnameConfig = _hostnameConfig, redirectURL = _redirectURL,
            userAgent = _userAgent, asMemberId = _asMemberId, pathRoot = _pathRoot, additionalHeaders = _additionalHeaders;

+ (NSString *)defaultUserAgent { return [kDBSDKDefaultUserAgentPrefix stringByAppendingFormat:@"/%@", kDBSDKVersion]; }

- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)appSecret
                hostnameConfig:(DBTransportBaseHostnameConfig *)hostnameConfig
                   redirectURL:(NSString *)redirectURL
                     userAgent:(NSString *)userAgent
                    asMemberId:(NSString *)asMemberId
                      pathRoot:(DBCOMMONPathRoot *)pathRoot
             additionalHeaders:(NSDictionary *)additionalHeaders {
    // A header that is left out would change what a request means, so that it is refused rather than dropped.
    if ([additionalHeaders count] > 0) DBRefuse(@"additional headers cannot be sent");
    if ((self = [super init]) != nil) {
        _appKey = [appKey copy], _appSecret = [appSecret copy], _redirectURL = [redirectURL copy];
        _hostnameConfig = hostnameConfig == nil ? [[DBTransportBaseHostnameConfig alloc] init] : [hostnameConfig retain];
        NSString *own = [[self class] defaultUserAgent];
        _userAgent = userAgent == nil ? [own copy] : [[userAgent stringByAppendingFormat:@"/%@", own] copy];
        _asMemberId = [asMemberId copy], _pathRoot = [pathRoot retain], _additionalHeaders = [additionalHeaders copy];
    }
    return self;
}

- (instancetype)initWithAppKey:(NSString *)appKey userAgent:(NSString *)userAgent {
    return [self initWithAppKey:appKey appSecret:nil userAgent:userAgent];
}
- (instancetype)initWithAppKey:(NSString *)appKey appSecret:(NSString *)appSecret userAgent:(NSString *)userAgent {
    return [self initWithAppKey:appKey appSecret:appSecret userAgent:userAgent asMemberId:nil];
}
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)appSecret
                     userAgent:(NSString *)userAgent
                hostnameConfig:(DBTransportBaseHostnameConfig *)hostnameConfig {
    return [self initWithAppKey:appKey appSecret:appSecret hostnameConfig:hostnameConfig userAgent:userAgent asMemberId:nil
              additionalHeaders:nil];
}
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)appSecret
                     userAgent:(NSString *)userAgent
                    asMemberId:(NSString *)asMemberId {
    return [self initWithAppKey:appKey appSecret:appSecret userAgent:userAgent asMemberId:asMemberId additionalHeaders:nil];
}
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)appSecret
                     userAgent:(NSString *)userAgent
                    asMemberId:(NSString *)asMemberId
             additionalHeaders:(NSDictionary *)additionalHeaders {
    return [self initWithAppKey:appKey appSecret:appSecret hostnameConfig:nil userAgent:userAgent asMemberId:asMemberId
              additionalHeaders:additionalHeaders];
}
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)appSecret
                hostnameConfig:(DBTransportBaseHostnameConfig *)hostnameConfig
                     userAgent:(NSString *)userAgent
                    asMemberId:(NSString *)asMemberId
             additionalHeaders:(NSDictionary *)additionalHeaders {
    return [self initWithAppKey:appKey appSecret:appSecret hostnameConfig:hostnameConfig redirectURL:nil userAgent:userAgent
                     asMemberId:asMemberId pathRoot:nil additionalHeaders:additionalHeaders];
}
- (void)dealloc {
    [_appKey release], [_appSecret release], [_redirectURL release], [_userAgent release], [_asMemberId release];
    [_hostnameConfig release], [_pathRoot release], [_additionalHeaders release];
    [super dealloc];
}
@end

@implementation DBTransportDefaultConfig
@synthesize delegateQueue = _delegateQueue, forceForegroundSession = _forceForegroundSession,
            sharedContainerIdentifier = _sharedContainerIdentifier;

- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)appSecret
                hostnameConfig:(DBTransportBaseHostnameConfig *)hostnameConfig
                   redirectURL:(NSString *)redirectURL
                     userAgent:(NSString *)userAgent
                    asMemberId:(NSString *)asMemberId
                      pathRoot:(DBCOMMONPathRoot *)pathRoot
             additionalHeaders:(NSDictionary *)additionalHeaders
                 delegateQueue:(NSOperationQueue *)delegateQueue
        forceForegroundSession:(BOOL)forceForegroundSession
     sharedContainerIdentifier:(NSString *)sharedContainerIdentifier {
    self = [super initWithAppKey:appKey appSecret:appSecret hostnameConfig:hostnameConfig redirectURL:redirectURL
                       userAgent:userAgent asMemberId:asMemberId pathRoot:pathRoot additionalHeaders:additionalHeaders];
    if (self != nil) {
        _delegateQueue = [delegateQueue retain];
        _forceForegroundSession = forceForegroundSession;
        _sharedContainerIdentifier = [sharedContainerIdentifier copy];
    }
    return self;
}

// The shorter ones, which differ in what they leave out.
#define DB_CONFIG(secret, hosts, agent, member, headers, queue, foreground, container) \
    [self initWithAppKey:appKey appSecret:secret hostnameConfig:hosts redirectURL:nil userAgent:agent asMemberId:member \
                pathRoot:nil additionalHeaders:headers delegateQueue:queue forceForegroundSession:foreground \
        sharedContainerIdentifier:container]

- (instancetype)initWithAppKey:(NSString *)appKey { return DB_CONFIG(nil, nil, nil, nil, nil, nil, NO, nil); }
- (instancetype)initWithAppKey:(NSString *)appKey appSecret:(NSString *)secret {
    return DB_CONFIG(secret, nil, nil, nil, nil, nil, NO, nil);
}
- (instancetype)initWithAppKey:(NSString *)appKey appSecret:(NSString *)secret delegateQueue:(NSOperationQueue *)queue {
    return DB_CONFIG(secret, nil, nil, nil, nil, queue, NO, nil);
}
- (instancetype)initWithAppKey:(NSString *)appKey forceForegroundSession:(BOOL)foreground {
    return DB_CONFIG(nil, nil, nil, nil, nil, nil, foreground, nil);
}
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)secret
                     userAgent:(NSString *)agent
                 delegateQueue:(NSOperationQueue *)queue
        forceForegroundSession:(BOOL)foreground {
    return DB_CONFIG(secret, nil, agent, nil, nil, queue, foreground, nil);
}
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)secret
                     userAgent:(NSString *)agent
                    asMemberId:(NSString *)member
                 delegateQueue:(NSOperationQueue *)queue
        forceForegroundSession:(BOOL)foreground {
    return DB_CONFIG(secret, nil, agent, member, nil, queue, foreground, nil);
}
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)secret
                     userAgent:(NSString *)agent
                    asMemberId:(NSString *)member
                 delegateQueue:(NSOperationQueue *)queue
        forceForegroundSession:(BOOL)foreground
     sharedContainerIdentifier:(NSString *)container {
    return DB_CONFIG(secret, nil, agent, member, nil, queue, foreground, container);
}
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)secret
                     userAgent:(NSString *)agent
                    asMemberId:(NSString *)member
             additionalHeaders:(NSDictionary *)headers
                 delegateQueue:(NSOperationQueue *)queue
        forceForegroundSession:(BOOL)foreground
     sharedContainerIdentifier:(NSString *)container {
    return DB_CONFIG(secret, nil, agent, member, headers, queue, foreground, container);
}
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)secret
                hostnameConfig:(DBTransportBaseHostnameConfig *)hosts
                     userAgent:(NSString *)agent
                    asMemberId:(NSString *)member
             additionalHeaders:(NSDictionary *)headers
                 delegateQueue:(NSOperationQueue *)queue
        forceForegroundSession:(BOOL)foreground
     sharedContainerIdentifier:(NSString *)container {
    return DB_CONFIG(secret, hosts, agent, member, headers, queue, foreground, container);
}
- (void)dealloc {
    [_delegateQueue release], [_sharedContainerIdentifier release];
    [super dealloc];
}
@end
