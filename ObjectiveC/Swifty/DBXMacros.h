// What the generated names consist of. Not for programs.

#import "DBXRequest.h"

/// The class of a tag without a value.
#define DBX_TAG(type, initialiser) \
    @implementation type \
    -(instancetype)init { return [self initialiser]; } \
    @end
/// The class of a tag with a value.
#define DBX_TAG_WITH_VALUE(type, initialiser) \
    @implementation type \
    -(instancetype)init : (id)value { return [self initialiser:value]; } \
    @end
/// The value itself if it has the tag, as an object of the tag's class, else nil.
#define DBX_AS(name, test) \
    -(id)name { return [self test] ? self : nil; }
/// A value that has another name in the Objective-C library.
#define DBX_MEMBER(union, type, name, member) \
    @implementation type (DBXMember) \
    -(id)name { return [self member]; } \
    @end
/// A request as one of its route's own class.
#define DBX_REQUEST(type, task) ((type *)[type requestOf:(task)])
