// Linux's own calls for files, which Swift's Glibc module leaves out because it does not ask for them
// (_GNU_SOURCE).
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <sys/types.h>

// From <linux/fs.h>: the next data, the next hole.
static const int CFILE_SEEK_DATA = 3;
static const int CFILE_SEEK_HOLE = 4;

// Its value differs between processors; 0 where there is none.
#ifdef __O_DIRECT
static const int CFILE_O_DIRECT = __O_DIRECT;
#else
static const int CFILE_O_DIRECT = 0;
#endif

// As in <unistd.h>.
extern ssize_t copy_file_range(
    int from, int64_t *from_offset, int to, int64_t *to_offset, size_t count, unsigned int flags
);

// Copies within the kernel, sharing blocks where the filesystem can, and moves both offsets on.
static inline ssize_t cfile_copy_range(
    int from, int64_t *from_offset, int to, int64_t *to_offset, size_t count
) {
    return copy_file_range(from, from_offset, to, to_offset, count, 0);
}

// As in <stdio.h>.
extern int renameat2(
    int from_folder, const char *from, int to_folder, const char *to, unsigned int flags
);

// Renames; EEXIST if there is something of the new name (RENAME_NOREPLACE).
static inline int cfile_rename_new(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 1);
}
