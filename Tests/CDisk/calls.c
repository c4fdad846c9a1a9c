// The system's calls for files, defined in the program itself: the linker takes them before those of the C library, for
// every library that is linked into the program. Other files than those of simulated disks pass by.

#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "CDisk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The C library's definition of the function that is being defined.
#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int is_path(const char *path) { return strncmp(path, CDISK_ROOT, sizeof CDISK_ROOT - 1) == 0; }

static int is_file(int file) { return file >= CDISK_FIRST; }

static int64_t result(int64_t value) {
    if (value >= 0) return value;
    errno = (int)-value;
    return -1;
}

static int takes_mode(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        NEXT(name); \
        if (is_path(path)) return (int)result(disk_open(path, flags)); \
        if (!takes_mode(flags)) return next(path, flags); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        return next(path, flags, mode); \
    }

OPEN(open)
OPEN(open64)

int close(int file) {
    NEXT(close);
    if (!is_file(file)) return next(file);
    disk_close(file);
    return 0;
}

ssize_t read(int file, void *bytes, size_t count) {
    NEXT(read);
    return is_file(file) ? result(disk_read_next(file, bytes, count)) : next(file, bytes, count);
}

ssize_t write(int file, const void *bytes, size_t count) {
    NEXT(write);
    return is_file(file) ? result(disk_write_next(file, bytes, count)) : next(file, bytes, count);
}

#define PREAD(name, offset_t) \
    ssize_t name(int file, void *bytes, size_t count, offset_t offset) { \
        NEXT(name); \
        return is_file(file) ? result(disk_read(file, bytes, count, offset)) : next(file, bytes, count, offset); \
    }

PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define PWRITE(name, offset_t) \
    ssize_t name(int file, const void *bytes, size_t count, offset_t offset) { \
        NEXT(name); \
        return is_file(file) ? result(disk_write(file, bytes, count, offset)) : next(file, bytes, count, offset); \
    }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define FTRUNCATE(name, offset_t) \
    int name(int file, offset_t size) { \
        NEXT(name); \
        return is_file(file) ? (int)result(disk_resize(file, size)) : next(file, size); \
    }

FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

int futimens(int file, const struct timespec times[2]) {
    NEXT(futimens);
    if (!is_file(file)) return next(file, times);
    return (int)result(disk_set_time(file, times[1].tv_sec * INT64_C(1000000000) + times[1].tv_nsec));
}

#define LSEEK(name, offset_t) \
    offset_t name(int file, offset_t offset, int whence) { \
        NEXT(name); \
        return is_file(file) ? result(disk_seek(file, offset, whence)) : next(file, offset, whence); \
    }

LSEEK(lseek, off_t)
LSEEK(lseek64, off64_t)

// Only `FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE` is asked for.
#define FALLOCATE(name, offset_t) \
    int name(int file, int mode, offset_t offset, offset_t count) { \
        NEXT(name); \
        if (!is_file(file)) return next(file, mode, offset, count); \
        return (int)result(mode == 3 ? disk_punch(file, offset, count) : -EOPNOTSUPP); \
    }

FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)

// Between simulated files, what copies falls back to reading and writing.
ssize_t copy_file_range(
    int from, off64_t *from_offset, int to, off64_t *to_offset, size_t count, unsigned flags
) {
    NEXT(copy_file_range);
    if (!is_file(from) && !is_file(to)) return next(from, from_offset, to, to_offset, count, flags);
    return result(-EXDEV);
}

int fsync(int file) {
    NEXT(fsync);
    return is_file(file) ? (int)result(disk_flush(file, 0)) : next(file);
}

int fdatasync(int file) {
    NEXT(fdatasync);
    return is_file(file) ? (int)result(disk_flush(file, 1)) : next(file);
}

int syncfs(int file) {
    NEXT(syncfs);
    return is_file(file) ? (int)result(disk_flush_all(file)) : next(file);
}

static int fill(int64_t outcome, const struct disk_status *found, struct stat *status) {
    if (result(outcome) < 0) return -1;
    memset(status, 0, sizeof *status);
    status->st_size = found->size;
    status->st_dev = found->device;
    status->st_ino = found->number;
    status->st_nlink = 1;
    status->st_mode = found->is_folder ? S_IFDIR | 0700 : S_IFREG | 0600;
    status->st_mtim.tv_sec = found->modified / 1000000000;
    status->st_mtim.tv_nsec = found->modified % 1000000000;
    return 0;
}

static int fill_at(const char *path, struct stat *status) {
    struct disk_status found;
    return fill(disk_stat(path, &found), &found, status);
}

int fstat(int file, struct stat *status) {
    NEXT(fstat);
    if (!is_file(file)) return next(file, status);
    struct disk_status found;
    return fill(disk_stat_file(file, &found), &found, status);
}

int stat(const char *path, struct stat *status) {
    NEXT(stat);
    return is_path(path) ? fill_at(path, status) : next(path, status);
}

int lstat(const char *path, struct stat *status) {
    NEXT(lstat);
    return is_path(path) ? fill_at(path, status) : next(path, status);
}

int access(const char *path, int mode) {
    NEXT(access);
    if (!is_path(path)) return next(path, mode);
    struct stat status;
    return fill_at(path, &status);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    return is_path(path) ? (int)result(disk_make_folder(path)) : next(path, mode);
}

int unlink(const char *path) {
    NEXT(unlink);
    return is_path(path) ? (int)result(disk_unlink(path)) : next(path);
}

int rename(const char *path, const char *target) {
    NEXT(rename);
    return is_path(path) ? (int)result(disk_rename(path, target, 0)) : next(path, target);
}

int renameat2(int folder, const char *path, int other, const char *target, unsigned flags) {
    NEXT(renameat2);
    if (!is_path(path)) return next(folder, path, other, target, flags);
    return (int)result(disk_rename(path, target, flags & RENAME_NOREPLACE ? 1 : 0));
}

// A listing of a simulated folder. One at a time is enough: who lists one holds it for the length of a loop.
static struct listing {
    int64_t number;
    struct dirent entry;
} listing;

DIR *opendir(const char *path) {
    NEXT(opendir);
    if (!is_path(path)) return next(path);
    int64_t number = result(disk_list(path));
    if (number < 0) return 0;
    listing.number = number;
    return (DIR *)&listing;
}

struct dirent *readdir(DIR *folder) {
    NEXT(readdir);
    if (folder != (DIR *)&listing) return next(folder);
    listing.entry.d_type = DT_UNKNOWN;
    return disk_next(listing.number, listing.entry.d_name) ? &listing.entry : 0;
}

int closedir(DIR *folder) {
    NEXT(closedir);
    if (folder != (DIR *)&listing) return next(folder);
    disk_end_list(listing.number);
    return 0;
}
