// Words of Apple's headers that GNUstep's may lack.

#ifndef DB_LANGUAGE_H
#define DB_LANGUAGE_H

#import <Foundation/Foundation.h>

// GCC's have a cast in them, so that @YES would be no literal.
#undef YES
#undef NO
#define YES __objc_yes
#define NO __objc_no

// Names of fields; the compiler has __linux__ and __unix__, too.
#undef linux
#undef unix

#ifndef NS_ASSUME_NONNULL_BEGIN
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#endif
#ifndef NS_ENUM
#define NS_ENUM(type, name) enum name : type name; enum name : type
#endif
#ifndef NS_CLOSED_ENUM
#define NS_CLOSED_ENUM(type, name) NS_ENUM(type, name)
#endif
#ifndef NS_UNAVAILABLE
#define NS_UNAVAILABLE __attribute__((unavailable))
#endif
#ifndef NS_DESIGNATED_INITIALIZER
#define NS_DESIGNATED_INITIALIZER
#endif
#ifndef __deprecated_msg
#define __deprecated_msg(text) __attribute__((deprecated(text)))
#endif
#ifndef FOUNDATION_EXPORT
#define FOUNDATION_EXPORT extern
#endif

#endif
