// Memory: glibc's settings of malloc, and files without a disk.
#pragma once

// As in <malloc.h>.
static const int CLINUX_TRIM_THRESHOLD = -1;
static const int CLINUX_MMAP_THRESHOLD = -3;
static const int CLINUX_ARENA_MAX = -8;

extern int mallopt(int parameter, int value);

// As in <sys/mman.h>.
extern int memfd_create(const char *name, unsigned int flags);

// An empty file in memory, closed at exec(2); its descriptor, or -1. MFD_CLOEXEC is 1, and MFD_NOEXEC_SEAL 8, which
// some systems demand (vm.memfd_noexec) and kernels before 6.3 do not know.
static inline int clinux_memory_file(const char *name) {
    int file = memfd_create(name, 1 | 8);
    return file >= 0 ? file : memfd_create(name, 1);
}
