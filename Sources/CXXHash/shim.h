// xxHash for Swift, all of it from the header: nothing to link, and nothing to have at run time.
#pragma once

#define XXH_INLINE_ALL
#define XXH_NO_XXH3
#include <xxhash.h>

// A function, because the header makes a macro of its name.
static inline uint64_t cxxhash_64(const void *bytes, size_t count) {
    return XXH64(bytes, count, 0);
}
