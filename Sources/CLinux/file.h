// Calls for files.
#pragma once

#include <stddef.h>
#include <stdint.h>

// From <linux/fs.h>: the next data, the next hole.
static const int CLINUX_SEEK_DATA = 3;
static const int CLINUX_SEEK_HOLE = 4;

// O_DIRECT, whose value differs between processors (asm/fcntl.h).
#if defined(__arm__) || defined(__aarch64__) || defined(__m68k__)
static const int CLINUX_O_DIRECT = 0200000;
#elif defined(__powerpc__)
static const int CLINUX_O_DIRECT = 0400000;
#elif defined(__x86_64__) || defined(__i386__) || defined(__riscv) || defined(__s390__) \
    || defined(__loongarch__)
static const int CLINUX_O_DIRECT = 040000;
#else
// Not known here: without it, reads go through the page cache.
static const int CLINUX_O_DIRECT = 0;
#endif

// As in <unistd.h>, where the result is an ssize_t.
extern ptrdiff_t copy_file_range(
    int from, int64_t *from_offset, int to, int64_t *to_offset, size_t count, unsigned int flags
);

// Copies within the kernel, sharing blocks where the filesystem can, and moves both offsets on.
static inline ptrdiff_t clinux_copy_range(
    int from, int64_t *from_offset, int to, int64_t *to_offset, size_t count
) {
    return copy_file_range(from, from_offset, to, to_offset, count, 0);
}

// As in <fcntl.h>, where an offset is an off_t.
extern int fallocate(int file, int mode, ptrdiff_t offset, ptrdiff_t count);

// Makes a range a hole, which reads as zeros and takes no space; the size stays
// (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE). EOPNOTSUPP where the filesystem has no holes.
static inline int clinux_punch_hole(int file, ptrdiff_t offset, ptrdiff_t count) {
    return fallocate(file, 2 | 1, offset, count);
}

// As in <sys/statfs.h>.
struct statfs;
extern int fstatfs(int file, struct statfs *status);

// The type of the filesystem that a file is of, as statfs(2) lists them; 0 if it cannot be told. It is the first member
// of the structure, which has less room than this one on all processors.
static inline uint32_t clinux_filesystem_type(int file) {
    union {
        long type;
        unsigned int short_type;
        uint64_t room[64];
    } status;
    if (fstatfs(file, (struct statfs *)&status) != 0) {
        return 0;
    }
#if defined(__s390x__)
    return status.short_type;
#else
    return (uint32_t)status.type;
#endif
}

// As in <stdio.h>.
extern int renameat2(
    int from_folder, const char *from, int to_folder, const char *to, unsigned int flags
);

// Renames; EEXIST if there is something of the new name (RENAME_NOREPLACE). Relative to the working folder
// (AT_FDCWD, which is -100 everywhere).
static inline int clinux_rename_new(const char *from, const char *to) {
    return renameat2(-100, from, -100, to, 1);
}

// As in <sys/xattr.h>, which Swift's Glibc module leaves out.
extern ptrdiff_t getxattr(const char *path, const char *name, void *value, size_t size);
extern int setxattr(
    const char *path, const char *name, const void *value, size_t size, int flags
);

// Creates or replaces an extended attribute that has no bytes.
static inline int clinux_set_empty_attribute(const char *path, const char *name) {
    return setxattr(path, name, "", 0, 0);
}

// As in <unistd.h>, where the result is a long.
extern ptrdiff_t syscall(ptrdiff_t number, ...);

// Opens a node below an open folder and follows no symbolic link on the way (RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS);
// with `crosses` 0, no mount either (RESOLVE_NO_XDEV). openat2(2) has this number for all processors but Alpha, from
// Linux 5.6 on. The descriptor, or -1.
static inline int clinux_open_without_links(
    int folder, const char *path, uint64_t flags, int crosses
) {
    const struct { uint64_t flags, mode, resolve; } how = {
        .flags = flags, .mode = 0, .resolve = 0x02 | 0x04 | (crosses ? 0 : 0x01)};
    return (int)syscall(437, folder, path, &how, sizeof how);
}

// As in <unistd.h>: flushes the whole filesystem that an open file is on.
extern int syncfs(int descriptor);
