// xxHash for Swift, all of it from the header: nothing to link, and nothing to have at run time.
#pragma once

#define XXH_INLINE_ALL
#define XXH_NO_XXH3
#if __has_include(<xxhash.h>)
#include <xxhash.h>
#else
#error "the header of xxHash is missing: apt-get install libxxhash-dev"
#endif

// A function, because the header makes a macro of its name.
static inline uint64_t cxxhash_64(const void *bytes, size_t count) {
    return XXH64(bytes, count, 0);
}

// The same of bytes that come in pieces.
typedef struct {
    XXH64_state_t state;
} cxxhash_stream;

static inline cxxhash_stream cxxhash_begin(void) {
    cxxhash_stream stream;
    XXH64_reset(&stream.state, 0);
    return stream;
}

static inline void cxxhash_add(cxxhash_stream *stream, const void *bytes, size_t count) {
    XXH64_update(&stream->state, bytes, count);
}

static inline uint64_t cxxhash_sum(const cxxhash_stream *stream) {
    return XXH64_digest(&stream->state);
}
