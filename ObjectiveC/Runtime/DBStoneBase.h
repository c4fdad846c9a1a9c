// Routes, values without content, and the class of all generated types. Not responsible for what types and routes there are: that is
// in Generated/.

#import <Foundation/Foundation.h>
#import "DBLanguage.h"
#import "DBSerializableProtocol.h"

NS_ASSUME_NONNULL_BEGIN

/// A route of the API, and the types of its result and its error.
@interface DBRoute : NSObject {
    void *_types;
    NSString *_name, *_namespace;
    NSNumber *_deprecated;
    Class _resultType, _errorType;
    NSDictionary *_attrs;
    id (^_dataStructSerialBlock)(id);
    id (^_dataStructDeserialBlock)(id);
}
@property (nonatomic, readonly, copy) NSString *name;
@property (nonatomic, readonly, copy) NSString *namespace_;
@property (nonatomic, readonly) NSNumber *deprecated;
/// Nil for a route without a result.
@property (nonatomic, readonly, nullable) Class<DBSerializable> resultType;
/// Nil for a route without errors of its own.
@property (nonatomic, readonly, nullable) Class<DBSerializable> errorType;
/// How it is called: `auth`, `host`, `style`.
@property (nonatomic, readonly, nullable) NSDictionary<NSString *, NSString *> *attrs;
@property (nonatomic, readonly, nullable) id (^dataStructSerialBlock)(id dataStruct);
@property (nonatomic, readonly, nullable) id (^dataStructDeserialBlock)(id dataStruct);

- (instancetype)init:(NSString *)name
                 namespace_:(NSString *)namespace_
                 deprecated:(NSNumber *)deprecated
                 resultType:(nullable Class<DBSerializable>)resultType
                  errorType:(nullable Class<DBSerializable>)errorType
                      attrs:(NSDictionary<NSString *, NSString *> *)attrs
      dataStructSerialBlock:(id (^_Nullable)(id))dataStructSerialBlock
    dataStructDeserialBlock:(id (^_Nullable)(id))dataStructDeserialBlock;
@end

/// The result of a route that has none.
@interface DBNilObject : NSObject
@end

/// A struct or a union of the API. Equal to another one of its class with equal fields; its description is its JSON.
@interface DBStoneObject : NSObject <DBSerializable, NSCopying> {
    void *_stoneValues;
    int _stoneTag;
}
@end

/// Reads and writes the type whose name stands before `Serializer`.
@interface DBStoneSerializer : NSObject
@end

NS_ASSUME_NONNULL_END
