// Settings of clients.

#import <Foundation/Foundation.h>
#import "DBStoneBase.h"

@class DBCOMMONPathRoot;

typedef NS_ENUM(NSUInteger, DBRouteHost) {
    DBRouteHostUnknown = 0,
    DBRouteHostApi,
    DBRouteHostContent,
    DBRouteHostNotify,
};

NS_ASSUME_NONNULL_BEGIN

@interface DBRoute (DropboxHost)
@property (nonatomic, readonly) DBRouteHost host;
@end

/// The servers. They are Dropbox's, or one server for all, as a name for https or as an address with a scheme; plain http goes to this
/// machine only. Requests to several others fail.
@interface DBTransportBaseHostnameConfig : NSObject <NSCopying> {
    NSString *_meta, *_api, *_content, *_downloadContent, *_notify;
}
@property (nonatomic, readonly, copy) NSString *meta;
@property (nonatomic, readonly, copy) NSString *api;
@property (nonatomic, readonly, copy) NSString *content;
@property (nonatomic, readonly, copy) NSString *downloadContent;
@property (nonatomic, readonly, copy) NSString *notify;
- (instancetype)init;
- (instancetype)initWithMeta:(NSString *)meta api:(NSString *)api content:(NSString *)content notify:(NSString *)notify;
- (instancetype)initWithMeta:(NSString *)meta
                         api:(NSString *)api
                     content:(NSString *)content
             downloadContent:(NSString *)downloadContent
                      notify:(NSString *)notify NS_DESIGNATED_INITIALIZER;
- (nullable NSString *)apiV2PrefixWithRoute:(DBRoute *)route;
@end

@interface DBTransportBaseConfig : NSObject {
    NSString *_appKey, *_appSecret, *_redirectURL, *_userAgent, *_asMemberId;
    DBTransportBaseHostnameConfig *_hostnameConfig;
    DBCOMMONPathRoot *_pathRoot;
    NSDictionary *_additionalHeaders;
}
@property (nonatomic, readonly, copy, nullable) NSString *appKey;
@property (nonatomic, readonly, copy, nullable) NSString *appSecret;
@property (nonatomic, readonly, copy, nullable) DBTransportBaseHostnameConfig *hostnameConfig;
@property (nonatomic, readonly, copy, nullable) NSString *redirectURL;
@property (nonatomic, readonly, copy, nullable) NSString *userAgent;
@property (nonatomic, readonly, copy, nullable) NSString *asMemberId;
@property (nonatomic, readonly, copy, nullable) DBCOMMONPathRoot *pathRoot;
/// Has to be empty: there is no way for further headers.
@property (nonatomic, readonly, copy, nullable) NSDictionary<NSString *, NSString *> *additionalHeaders;
+ (NSString *)defaultUserAgent;
- (instancetype)initWithAppKey:(nullable NSString *)appKey userAgent:(nullable NSString *)userAgent;
- (instancetype)initWithAppKey:(nullable NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                     userAgent:(nullable NSString *)userAgent;
- (instancetype)initWithAppKey:(nullable NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                     userAgent:(nullable NSString *)userAgent
                hostnameConfig:(DBTransportBaseHostnameConfig *)hostnameConfig;
- (instancetype)initWithAppKey:(nullable NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                     userAgent:(nullable NSString *)userAgent
                    asMemberId:(nullable NSString *)asMemberId;
- (instancetype)initWithAppKey:(nullable NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                     userAgent:(nullable NSString *)userAgent
                    asMemberId:(nullable NSString *)asMemberId
             additionalHeaders:(nullable NSDictionary<NSString *, NSString *> *)additionalHeaders;
- (instancetype)initWithAppKey:(nullable NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                hostnameConfig:(nullable DBTransportBaseHostnameConfig *)hostnameConfig
                     userAgent:(nullable NSString *)userAgent
                    asMemberId:(nullable NSString *)asMemberId
             additionalHeaders:(nullable NSDictionary<NSString *, NSString *> *)additionalHeaders;
- (instancetype)initWithAppKey:(nullable NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                hostnameConfig:(nullable DBTransportBaseHostnameConfig *)hostnameConfig
                   redirectURL:(nullable NSString *)redirectURL
                     userAgent:(nullable NSString *)userAgent
                    asMemberId:(nullable NSString *)asMemberId
                      pathRoot:(nullable DBCOMMONPathRoot *)pathRoot
             additionalHeaders:(nullable NSDictionary<NSString *, NSString *> *)additionalHeaders;
@end

/// The queue of a delegate, the session in the foreground and the container are those of Apple's URL sessions: kept, and not used.
@interface DBTransportDefaultConfig : DBTransportBaseConfig {
    NSOperationQueue *_delegateQueue;
    BOOL _forceForegroundSession;
    NSString *_sharedContainerIdentifier;
}
@property (nonatomic, readonly, nullable) NSOperationQueue *delegateQueue;
@property (nonatomic, readonly) BOOL forceForegroundSession;
@property (nonatomic, readonly, nullable) NSString *sharedContainerIdentifier;
- (instancetype)initWithAppKey:(NSString *)appKey;
- (instancetype)initWithAppKey:(NSString *)appKey appSecret:(NSString *)appSecret;
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(NSString *)appSecret
                 delegateQueue:(nullable NSOperationQueue *)delegateQueue;
- (instancetype)initWithAppKey:(NSString *)appKey forceForegroundSession:(BOOL)forceForegroundSession;
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                     userAgent:(nullable NSString *)userAgent
                 delegateQueue:(nullable NSOperationQueue *)delegateQueue
        forceForegroundSession:(BOOL)forceForegroundSession;
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                     userAgent:(nullable NSString *)userAgent
                    asMemberId:(nullable NSString *)asMemberId
                 delegateQueue:(nullable NSOperationQueue *)delegateQueue
        forceForegroundSession:(BOOL)forceForegroundSession;
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                     userAgent:(nullable NSString *)userAgent
                    asMemberId:(nullable NSString *)asMemberId
                 delegateQueue:(nullable NSOperationQueue *)delegateQueue
        forceForegroundSession:(BOOL)forceForegroundSession
     sharedContainerIdentifier:(nullable NSString *)sharedContainerIdentifier;
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                     userAgent:(nullable NSString *)userAgent
                    asMemberId:(nullable NSString *)asMemberId
             additionalHeaders:(nullable NSDictionary<NSString *, NSString *> *)additionalHeaders
                 delegateQueue:(nullable NSOperationQueue *)delegateQueue
        forceForegroundSession:(BOOL)forceForegroundSession
     sharedContainerIdentifier:(nullable NSString *)sharedContainerIdentifier;
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                hostnameConfig:(nullable DBTransportBaseHostnameConfig *)hostnameConfig
                     userAgent:(nullable NSString *)userAgent
                    asMemberId:(nullable NSString *)asMemberId
             additionalHeaders:(nullable NSDictionary<NSString *, NSString *> *)additionalHeaders
                 delegateQueue:(nullable NSOperationQueue *)delegateQueue
        forceForegroundSession:(BOOL)forceForegroundSession
     sharedContainerIdentifier:(nullable NSString *)sharedContainerIdentifier;
- (instancetype)initWithAppKey:(NSString *)appKey
                     appSecret:(nullable NSString *)appSecret
                hostnameConfig:(nullable DBTransportBaseHostnameConfig *)hostnameConfig
                   redirectURL:(nullable NSString *)redirectURL
                     userAgent:(nullable NSString *)userAgent
                    asMemberId:(nullable NSString *)asMemberId
                      pathRoot:(nullable DBCOMMONPathRoot *)pathRoot
             additionalHeaders:(nullable NSDictionary<NSString *, NSString *> *)additionalHeaders
                 delegateQueue:(nullable NSOperationQueue *)delegateQueue
        forceForegroundSession:(BOOL)forceForegroundSession
     sharedContainerIdentifier:(nullable NSString *)sharedContainerIdentifier;
@end

NS_ASSUME_NONNULL_END
