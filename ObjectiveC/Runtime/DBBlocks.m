// Blocks: copies, what they hold on to, and that they are objects. The runtime libraries of Debian for clang's blocks do not retain the
// objects that a block uses, because they know no Objective-C, and their blocks cannot be sent messages, so that GNUstep's
// -addOperationWithBlock: ends the process. The layout of a block is that of clang's "Block Implementation Specification".

#import <Foundation/Foundation.h>
#import <Block.h>
#import <stdatomic.h>
#import <stdlib.h>
#import <string.h>

enum {
    countMask = 0xfffe,
    countOne = 2,
    isOnHeap = 1 << 24,
    hasHelpers = 1 << 25,
    isGlobal = 1 << 28,
};
enum {
    fieldIsObject = 3,
    fieldIsBlock = 7,
    fieldIsReference = 8,
    fieldIsWeak = 16,
    callerIsReference = 128,
};

typedef struct {
    uintptr_t reserved, size;
    void (*copy)(void *to, const void *from);
    void (*dispose)(const void *block);
} Descriptor;

typedef struct {
    void *isa;
    _Atomic(int) flags;
    int reserved;
    void (*invoke)(void *, ...);
    Descriptor *descriptor;
} Block;

/// A variable that was declared __block.
typedef struct Variable {
    void *isa;
    struct Variable *forwarding;
    _Atomic(int) flags;
    unsigned int size;
    void (*keep)(struct Variable *to, struct Variable *from);
    void (*destroy)(struct Variable *variable);
} Variable;

/// Whether that was the last reference.
static BOOL letGo(_Atomic(int) *flags) {
    return (atomic_fetch_sub_explicit(flags, countOne, memory_order_acq_rel) & countMask) == countOne;
}

void *_Block_copy(const void *block) {
    Block *from = (Block *)block;
    if (from == NULL) return NULL;
    int flags = atomic_load_explicit(&from->flags, memory_order_relaxed);
    if ((flags & isGlobal) != 0) return from;
    if ((flags & isOnHeap) != 0) {
        atomic_fetch_add_explicit(&from->flags, countOne, memory_order_relaxed);
        return from;
    }
    Block *to = malloc(from->descriptor->size);
    if (to == NULL) return NULL;
    memcpy((void *)to, (const void *)from, from->descriptor->size);
    atomic_store_explicit(&to->flags, (flags & ~countMask & ~1) | isOnHeap | countOne, memory_order_relaxed);
    if ((flags & hasHelpers) != 0) to->descriptor->copy(to, from);
    return to;
}

void _Block_release(const void *block) {
    Block *own = (Block *)block;
    if (own == NULL) return;
    int flags = atomic_load_explicit(&own->flags, memory_order_relaxed);
    if ((flags & isOnHeap) == 0 || !letGo(&own->flags)) return;
    if ((flags & hasHelpers) != 0) own->descriptor->dispose(own);
    free(own);
}

static Variable *copyVariable(Variable *from) {
    Variable *own = from->forwarding;
    int flags = atomic_load_explicit(&own->flags, memory_order_relaxed);
    if ((flags & isOnHeap) != 0) {
        atomic_fetch_add_explicit(&own->flags, countOne, memory_order_relaxed);
        return own;
    }
    Variable *to = malloc(own->size);
    if (to == NULL) abort();
    memcpy((void *)to, (const void *)own, own->size);
    // One reference is the block's, the other one that of the function that declared it.
    atomic_store_explicit(&to->flags, flags | isOnHeap | (countOne * 2), memory_order_relaxed);
    to->forwarding = to;
    from->forwarding = to;
    if ((flags & hasHelpers) != 0) to->keep(to, from);
    return to;
}

static void disposeVariable(Variable *variable) {
    Variable *own = variable->forwarding;
    int flags = atomic_load_explicit(&own->flags, memory_order_relaxed);
    if ((flags & isOnHeap) == 0 || !letGo(&own->flags)) return;
    if ((flags & hasHelpers) != 0) own->destroy(own);
    free(own);
}

void _Block_object_assign(void *to, const void *object, const int flags) {
    const void **place = to;
    if ((flags & callerIsReference) != 0) *place = object;
    else if ((flags & fieldIsReference) != 0) *place = copyVariable((Variable *)object);
    else if ((flags & fieldIsBlock) == fieldIsBlock) *place = _Block_copy(object);
    else *place = [(id)object retain];
}

void _Block_object_dispose(const void *object, const int flags) {
    if ((flags & callerIsReference) != 0) return;
    if ((flags & fieldIsReference) != 0) disposeVariable((Variable *)object);
    else if ((flags & fieldIsBlock) == fieldIsBlock) _Block_release(object);
    else [(id)object release];
}

/// The class of all blocks. Their memory is not Foundation's, so that they are counted here.
@interface DBBlock : NSObject
@end

@implementation DBBlock
- (id)copyWithZone:(NSZone *)zone { return _Block_copy(self); }
- (id)copy { return _Block_copy(self); }
- (id)retain {
    // One that is on a stack stays there until it is copied.
    return (atomic_load(&((Block *)self)->flags) & (isOnHeap | isGlobal)) == 0 ? self : (id)_Block_copy(self);
}
- (oneway void)release { _Block_release(self); }
- (NSUInteger)retainCount {
    return (NSUInteger)(atomic_load(&((Block *)self)->flags) & countMask) / countOne;
}
@end

// The compiler makes each block an object of one of these.
__asm__(".globl _NSConcreteStackBlock, _NSConcreteMallocBlock, _NSConcreteGlobalBlock\n"
        ".set _NSConcreteStackBlock, _OBJC_CLASS_DBBlock\n"
        ".set _NSConcreteMallocBlock, _OBJC_CLASS_DBBlock\n"
        ".set _NSConcreteGlobalBlock, _OBJC_CLASS_DBBlock\n");
