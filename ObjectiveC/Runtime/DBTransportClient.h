// What sends requests: connections of libdropbox for one account.

#import <Foundation/Foundation.h>
#import "DBSerializableProtocol.h"
#import "DBTasks.h"
#import "DBTransportConfig.h"

@class DBCOMMONPathRoot, DBRoute;
@protocol DBAccessTokenProvider;

NS_ASSUME_NONNULL_BEGIN

@protocol DBTransportClient <NSObject>
@property (nonatomic, retain, nullable) id<DBAccessTokenProvider> accessTokenProvider;
- (DBRpcTask *)requestRpc:(DBRoute *)route arg:(nullable id)arg;
- (DBUploadTask *)requestUpload:(DBRoute *)route arg:(nullable id)arg inputUrl:(NSString *)input;
- (DBUploadTask *)requestUpload:(DBRoute *)route arg:(nullable id)arg inputData:(NSData *)input;
- (DBUploadTask *)requestUpload:(DBRoute *)route arg:(nullable id)arg inputStream:(NSInputStream *)input;
- (DBDownloadUrlTask *)requestDownload:(DBRoute *)route
                                   arg:(nullable id)arg
                             overwrite:(BOOL)overwrite
                           destination:(NSURL *)destination;
- (DBDownloadUrlTask *)requestDownload:(DBRoute *)route
                                   arg:(nullable id)arg
                             overwrite:(BOOL)overwrite
                           destination:(NSURL *)destination
                       byteOffsetStart:(nullable NSNumber *)byteOffsetStart
                         byteOffsetEnd:(nullable NSNumber *)byteOffsetEnd;
- (DBDownloadDataTask *)requestDownload:(DBRoute *)route arg:(nullable id)arg;
- (DBDownloadDataTask *)requestDownload:(DBRoute *)route
                                    arg:(nullable id)arg
                        byteOffsetStart:(nullable NSNumber *)byteOffsetStart
                          byteOffsetEnd:(nullable NSNumber *)byteOffsetEnd;
@end

@interface DBTransportBaseClient : NSObject {
    id<DBAccessTokenProvider> _accessTokenProvider;
    NSString *_tokenUid;
    DBTransportBaseConfig *_config;
    void *_connection;
    NSString *_connectionToken;
}
@property (nonatomic, retain, nullable) id<DBAccessTokenProvider> accessTokenProvider;
@property (nonatomic, readonly, copy) NSString *tokenUid;
@property (nonatomic, readonly, copy) NSString *userAgent;
@property (nonatomic, readonly, copy, nullable) NSString *appKey;
@property (nonatomic, readonly, copy, nullable) NSString *appSecret;
@property (nonatomic, readonly, copy, nullable) NSString *asMemberId;
@property (nonatomic, readonly, copy, nullable) DBCOMMONPathRoot *pathRoot;
@property (nonatomic, readonly, copy, nullable) NSDictionary<NSString *, NSString *> *additionalHeaders;
- (instancetype)initWithAccessToken:(nullable NSString *)accessToken
                           tokenUid:(nullable NSString *)tokenUid
                    transportConfig:(nullable DBTransportBaseConfig *)transportConfig;
- (instancetype)initWithAccessTokenProvider:(nullable id<DBAccessTokenProvider>)accessTokenProvider
                                   tokenUid:(nullable NSString *)tokenUid
                            transportConfig:(nullable DBTransportBaseConfig *)transportConfig NS_DESIGNATED_INITIALIZER;
- (instancetype)init NS_UNAVAILABLE;
@end

@interface DBTransportDefaultClient : DBTransportBaseClient <DBTransportClient>
@property (nonatomic, readonly, nullable) NSOperationQueue *delegateQueue;
@property (nonatomic, readonly) BOOL forceForegroundSession;
- (DBTransportDefaultConfig *)duplicateTransportConfigWithAsMemberId:(NSString *)asMemberId;
- (DBTransportDefaultConfig *)duplicateTransportConfigWithPathRoot:(DBCOMMONPathRoot *)pathRoot;
@end

struct dropbox_client;

@interface DBTransportDefaultClient (Connection)
/// Calls the block with the connections for the token of now, or with NULL and a failure; maybe on another thread, later.
- (void)connect:(void (^)(struct dropbox_client *connection, DBRequestError *failure))block;
@end

NS_ASSUME_NONNULL_END
