// JSON as Foundation's objects. GNUstep's own reader turns whole numbers of more than 53 bits into others, so that the size or id of
// a file would be wrong. Not for programs.

#import <Foundation/Foundation.h>

/// The value of a text; nil for a text that is no JSON, or deeper than 512 levels.
id DBJSONRead(const char *text);
/// The text of a value of dictionaries, arrays, strings, numbers and null; nil for nil.
NSString *DBJSONText(id value);
