/* Makes one call that changes the disk go wrong, of all that a program makes, or ends the program there.

   Loaded into dbxfs by LD_PRELOAD. It counts calls that change something below DBXFS_STATE_DIR or
   DBXFS_CACHE_DIR (resolved paths, please); others, such as those on sockets and /dev/fuse, pass by.
   What is to happen stands in the file that NTH_CALL names, which whoever watches has mapped too:
   see `struct page`. With NTH_CALL_LOG, every counted call is a line of that file.

   cc -shared -fPIC -O1 -o nth_call.so nth_call.c */

#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum action {
    NOTHING,
    FAIL,        /* the call fails */
    FAIL_FROM,   /* it and all later ones fail, if they need room on the disk */
    TEAR,        /* of a write, one half is done, and the thread's next call fails; others fail */
    KILL_BEFORE, /* the process ends before the call */
    KILL_IN,     /* of a write, one half is done; others as before */
    KILL_AFTER,  /* the process ends when the call is done */
};

/* Shared with tools/fault_loop.py. */
struct page {
    int64_t armed;  /* nothing is counted while this is 0 */
    int64_t count;  /* calls so far */
    int64_t at;     /* the call that is meant, the first one is 1; with 0, calls are counted only */
    int64_t action;
    int64_t error;  /* errno of calls that fail */
    int64_t hits;   /* calls that were hit */
    char call[256]; /* the first of them, and its path */
};

static struct page *page;
static int log_file = -1;
static char folders[2][PATH_MAX];
static __thread int is_torn;

enum verdict { PASS, REFUSE, HALVE, HALVE_AND_DIE, DIE_AFTER };

/* The next definition of the function that is being defined. */
#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
    const char *names[] = {"DBXFS_STATE_DIR", "DBXFS_CACHE_DIR"};
    for (int i = 0; i < 2; i++) {
        const char *folder = getenv(names[i]);
        if (folder) snprintf(folders[i], PATH_MAX, "%s", folder);
    }
    const char *path = getenv("NTH_CALL");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
        void *memory = mmap(0, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (memory != MAP_FAILED) page = memory;
    }
    path = getenv("NTH_CALL_LOG");
    if (path) log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* Programs that this one starts are not meant. */
    unsetenv("LD_PRELOAD");
}

static _Noreturn void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int is_below(const char *path) {
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(folders[i]);
        if (length && !strncmp(path, folders[i], length) &&
            (path[length] == '/' || !path[length]))
            return 1;
    }
    return 0;
}

static enum verdict decide(const char *call, const char *path, int needs_room) {
    if (!page || !__atomic_load_n(&page->armed, __ATOMIC_SEQ_CST) || !is_below(path)) return PASS;
    int64_t number = __atomic_add_fetch(&page->count, 1, __ATOMIC_SEQ_CST);
    if (log_file >= 0) dprintf(log_file, "%ld %s %s\n", (long)number, call, path);
    if (is_torn) {
        is_torn = 0;
        errno = (int)page->error;
        return REFUSE;
    }
    int is_hit = page->at && (number == page->at || (page->action == FAIL_FROM && number > page->at));
    if (!is_hit || (page->action == FAIL_FROM && !needs_room)) return PASS;
    if (__atomic_fetch_add(&page->hits, 1, __ATOMIC_SEQ_CST) == 0)
        snprintf(page->call, sizeof page->call, "%s %s", call, path);
    int is_write = strstr(call, "write") != 0;
    switch (page->action) {
    case KILL_IN:
        if (is_write) return HALVE_AND_DIE;
        die();
    case KILL_BEFORE: die();
    case KILL_AFTER: return DIE_AFTER;
    case TEAR:
        if (is_write) return HALVE;
    }
    errno = (int)page->error;
    return REFUSE;
}

static enum verdict decide_by_file(const char *call, int file, int needs_room) {
    char link[40], path[PATH_MAX];
    int error = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = page ? readlink(link, path, sizeof path - 1) : -1;
    errno = error;
    if (length < 0) return PASS;
    path[length] = 0;
    return decide(call, path, needs_room);
}

/* A path that is relative to an open folder is not used below these folders. */
static enum verdict decide_by_path(const char *call, const char *path, int needs_room) {
    return path && path[0] == '/' ? decide(call, path, needs_room) : PASS;
}

static long finish(enum verdict verdict, long result) {
    if (verdict == DIE_AFTER || verdict == HALVE_AND_DIE) die();
    if (verdict == HALVE) is_torn = 1;
    return result;
}

static size_t allowed(enum verdict verdict, size_t count) {
    return verdict == HALVE || verdict == HALVE_AND_DIE ? (count + 1) / 2 : count;
}

/* Defines a function that is told of a file by its number, or of one or two paths. */
#define BY_FILE(type, name, needs_room, parameters, file, arguments) \
    type name parameters { \
        NEXT(name); \
        enum verdict verdict = decide_by_file(#name, file, needs_room); \
        return verdict == REFUSE ? -1 : (type)finish(verdict, next arguments); \
    }
#define BY_PATH(name, needs_room, parameters, path, arguments) \
    int name parameters { \
        NEXT(name); \
        enum verdict verdict = decide_by_path(#name, path, needs_room); \
        return verdict == REFUSE ? -1 : (int)finish(verdict, next arguments); \
    }

BY_FILE(ssize_t, write, 1, (int file, const void *bytes, size_t count), file,
        (file, bytes, allowed(verdict, count)))
BY_FILE(ssize_t, pwrite, 1, (int file, const void *bytes, size_t count, off_t offset), file,
        (file, bytes, allowed(verdict, count), offset))
BY_FILE(ssize_t, pwrite64, 1, (int file, const void *bytes, size_t count, off64_t offset), file,
        (file, bytes, allowed(verdict, count), offset))
/* Of several pieces, one is done, which may be all. */
BY_FILE(ssize_t, writev, 1, (int file, const struct iovec *pieces, int count), file,
        (file, pieces, (int)allowed(verdict, count)))
BY_FILE(ssize_t, copy_file_range, 1,
        (int from, off64_t *start, int to, off64_t *place, size_t count, unsigned flags), to,
        (from, start, to, place, allowed(verdict, count), flags))
BY_FILE(int, ftruncate, 0, (int file, off_t size), file, (file, size))
BY_FILE(int, ftruncate64, 0, (int file, off64_t size), file, (file, size))
BY_FILE(int, fallocate, 1, (int file, int mode, off_t start, off_t count), file,
        (file, mode, start, count))
BY_FILE(int, fsync, 0, (int file), file, (file))
BY_FILE(int, fdatasync, 0, (int file), file, (file))
BY_FILE(int, fchmod, 0, (int file, mode_t mode), file, (file, mode))
BY_PATH(chmod, 0, (const char *path, mode_t mode), path, (path, mode))
BY_PATH(mkdir, 1, (const char *path, mode_t mode), path, (path, mode))
BY_PATH(rmdir, 0, (const char *path), path, (path))
BY_PATH(unlink, 0, (const char *path), path, (path))
BY_PATH(truncate, 0, (const char *path, off_t size), path, (path, size))
BY_PATH(rename, 1, (const char *from, const char *to), to, (from, to))
BY_PATH(link, 1, (const char *from, const char *to), to, (from, to))
BY_PATH(symlink, 1, (const char *target, const char *path), path, (target, path))
BY_PATH(utimes, 0, (const char *path, const struct timeval times[2]), path, (path, times))

/* Opening changes something when it makes or empties a file. */
#define OPEN(name, parameters, arguments) \
    int name parameters { \
        NEXT(name); \
        mode_t mode = 0; \
        if (flags & O_CREAT) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
        } \
        enum verdict verdict = \
            flags & (O_CREAT | O_TRUNC) ? decide_by_path(#name, path, 1) : PASS; \
        return verdict == REFUSE ? -1 : (int)finish(verdict, next arguments); \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
