// What Swift cannot say to libfuse itself: macros, versioned entry points, and the two functions that
// stand between libfuse and /dev/fuse. Header only. No policy: which flags to ask for is Fuse's choice.

#ifndef CFUSE_SHIM_H
#define CFUSE_SHIM_H

// API level 3.14 is what Debian 12 ships; newer libraries keep it.
#define FUSE_USE_VERSION 314

#include <errno.h>
// In the folder that pkg-config names, or in the system's.
#if __has_include(<fuse_lowlevel.h>)
#include <fuse_lowlevel.h>
#elif __has_include(<fuse3/fuse_lowlevel.h>)
#include <fuse3/fuse_lowlevel.h>
#else
#error "the headers of libfuse 3 are missing: apt-get install libfuse3-dev, or DBXFS_PKG_CONFIG=yes for those that pkg-config finds"
#endif
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

// glibc hides O_DIRECT behind _GNU_SOURCE, and its value differs between processors.
#ifdef __O_DIRECT
enum { CFUSE_O_DIRECT = __O_DIRECT };
#else
enum { CFUSE_O_DIRECT = 0 };
#endif

// Flags of <linux/fuse.h> for the reply to INIT, most of which libfuse 3.14 does not send, whatever it is
// asked for.
enum {
    // Lookups and listings of one folder need not wait for each other. libfuse means to send it and
    // forgets to.
    CFUSE_INIT_PARALLEL_DIROPS = 1 << 18,
    // The kernel keeps what is written in its pages for a while. libfuse would send this one.
    CFUSE_INIT_WRITEBACK_CACHE = 1 << 16,
    // The server drops setuid and setgid bits itself, so the kernel need not ask for
    // `security.capability` before each write. libfuse knows it from 3.17 on.
    CFUSE_INIT_HANDLE_KILLPRIV_V2 = 1 << 28,
    // The message has a second word of flags.
    CFUSE_INIT_EXT = 1 << 30,
};

// Of the second word. What is opened with FOPEN_DIRECT_IO can be mapped shared: Linux 6.6 and later.
static const uint64_t CFUSE_INIT_DIRECT_IO_ALLOW_MMAP = 1ULL << 36;

// What libfuse hands back as user data with each request and each transfer.
struct cfuse_connection {
    // The Swift object behind the operations; not owned.
    void *owner;
    // Called once, after the kernel has taken the reply to INIT.
    void (*initialized)(void *owner);
    // INIT flags to add to the reply where the kernel offers them.
    uint64_t wanted_init_flags;
    // The part of them that the kernel offered and was given.
    uint64_t granted_init_flags;
    // Number of the INIT request while its reply is awaited; 0 before and after.
    uint64_t init_request;
};

// Offsets into <linux/fuse.h>'s fuse_in_header, fuse_init_in, fuse_out_header and fuse_init_out. They
// are part of the kernel's ABI.
enum {
    CFUSE_IN_HEADER_SIZE = 40,
    CFUSE_IN_OPCODE = 4,
    CFUSE_IN_UNIQUE = 8,
    CFUSE_INIT_IN_FLAGS = CFUSE_IN_HEADER_SIZE + 12,
    CFUSE_INIT_IN_FLAGS2 = CFUSE_IN_HEADER_SIZE + 16,
    CFUSE_OUT_ERROR = 4,
    CFUSE_OUT_UNIQUE = 8,
    CFUSE_INIT_OUT_FLAGS = 12,
    CFUSE_INIT_OUT_FLAGS2 = 32,
    CFUSE_OPCODE_INIT = 26,
    CFUSE_PROTOCOL_MAJOR = 7,
};

static inline uint32_t cfuse_u32(const void *base, size_t offset) {
    uint32_t value;
    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

static inline uint64_t cfuse_u64(const void *base, size_t offset) {
    uint64_t value;
    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

// The flags that INIT offers, in a request of `count` bytes.
static inline uint64_t cfuse_offered_flags(const void *request, ssize_t count) {
    uint64_t offered = cfuse_u32(request, CFUSE_INIT_IN_FLAGS);
    if ((offered & CFUSE_INIT_EXT) && count >= CFUSE_INIT_IN_FLAGS2 + 4) {
        offered |= (uint64_t)cfuse_u32(request, CFUSE_INIT_IN_FLAGS2) << 32;
    }
    return offered;
}

// Adds flags to INIT's reply, and says that there is a second word of them if one is in it. Older
// protocols have shorter replies, and offer none that would be in it.
static inline void cfuse_add_flags(char *reply, size_t length, uint64_t added) {
    if (added >> 32 && length >= CFUSE_INIT_OUT_FLAGS2 + 4) {
        uint32_t second = cfuse_u32(reply, CFUSE_INIT_OUT_FLAGS2) | (uint32_t)(added >> 32);
        memcpy(reply + CFUSE_INIT_OUT_FLAGS2, &second, sizeof second);
        added |= CFUSE_INIT_EXT;
    }
    uint32_t first = cfuse_u32(reply, CFUSE_INIT_OUT_FLAGS) | (uint32_t)added;
    memcpy(reply + CFUSE_INIT_OUT_FLAGS, &first, sizeof first);
}

// Reads one request and remembers what INIT offers. In C because libfuse cancels threads that wait
// here, and a cancelled thread must not unwind through Swift.
static inline ssize_t cfuse_read(int fd, void *buffer, size_t capacity, void *data) {
    struct cfuse_connection *connection = (struct cfuse_connection *)data;
    ssize_t count = read(fd, buffer, capacity);
    if (count >= CFUSE_INIT_IN_FLAGS + 4 && cfuse_u32(buffer, CFUSE_IN_OPCODE) == CFUSE_OPCODE_INIT
        && cfuse_u32(buffer, CFUSE_IN_HEADER_SIZE) == CFUSE_PROTOCOL_MAJOR) {
        connection->granted_init_flags =
            connection->wanted_init_flags & cfuse_offered_flags(buffer, count);
        __atomic_store_n(
            &connection->init_request, cfuse_u64(buffer, CFUSE_IN_UNIQUE), __ATOMIC_RELEASE);
    }
    return count;
}

// Completes INIT's reply with the granted flags, and keeps quiet what is no error: libfuse prints
// every failed write but ENOENT, also that of a notification about something the kernel does not know.
static inline ssize_t cfuse_writev(int fd, struct iovec *parts, int count, void *data) {
    struct cfuse_connection *connection = (struct cfuse_connection *)data;
    uint64_t unique = cfuse_u64(parts[0].iov_base, CFUSE_OUT_UNIQUE);
    uint64_t init = __atomic_load_n(&connection->init_request, __ATOMIC_ACQUIRE);
    int answers_init = init != 0 && unique == init && count == 2
        && parts[1].iov_len >= CFUSE_INIT_OUT_FLAGS + 4
        && cfuse_u32(parts[0].iov_base, CFUSE_OUT_ERROR) == 0;
    if (answers_init) {
        cfuse_add_flags(
            (char *)parts[1].iov_base, parts[1].iov_len, connection->granted_init_flags);
        __atomic_store_n(&connection->init_request, 0, __ATOMIC_RELEASE);
    }
    ssize_t written = writev(fd, parts, count);
    if (written < 0 && (unique == 0 || errno == ENODEV || errno == ENOTCONN)) {
        errno = ENOENT;
    }
    if (written >= 0 && answers_init && connection->initialized) {
        connection->initialized(connection->owner);
    }
    return written;
}

// Whether that version has a flag in the middle of fuse_file_info's, which moves the later ones by a bit: 3.15
// and 3.16 share their soname with 3.14, and 3.17 has it at the end.
static inline int cfuse_has_moved_flags(int version) {
    return version >= FUSE_MAKE_VERSION(3, 15) && version < FUSE_MAKE_VERSION(3, 17);
}

// Sets flags for the version of libfuse that is loaded, where another one may have been built with.
static inline void cfuse_set_open_flags(
    struct fuse_file_info *info, int loaded, unsigned int cache_readdir, unsigned int noflush
) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (cfuse_has_moved_flags(loaded) != cfuse_has_moved_flags(FUSE_VERSION)) {
        unsigned int moved = cfuse_has_moved_flags(loaded) ? 1 : 0;
        char *place = (char *)info + sizeof info->flags;
        uint32_t bits = cfuse_u32(place, 0);
        bits |= cache_readdir << (6 + moved) | noflush << (7 + moved);
        memcpy(place, &bits, sizeof bits);
        return;
    }
#else
    (void)loaded;
#endif
    info->cache_readdir = cache_readdir;
    info->noflush = noflush;
}

// fuse_session_new with options as an argument vector; NULL if an option is not understood.
static inline struct fuse_session *cfuse_session_new(
    int argc, char **argv, const struct fuse_lowlevel_ops *operations,
    struct cfuse_connection *connection
) {
    struct fuse_args args = FUSE_ARGS_INIT(argc, argv);
    struct fuse_session *session =
        fuse_session_new(&args, operations, sizeof *operations, connection);
    fuse_opt_free_args(&args);
    return session;
}

// Puts cfuse_read and cfuse_writev between libfuse and the mounted device. 0 or -errno.
static inline int cfuse_session_install_io(struct fuse_session *session) {
    struct fuse_custom_io io = {.writev = cfuse_writev, .read = cfuse_read};
    return fuse_session_custom_io(session, &io, fuse_session_fd(session));
}

// Serves requests until the connection or the session ends. 0 or -errno.
static inline int cfuse_session_loop(
    struct fuse_session *session, unsigned int max_threads, int clone_fd
) {
    struct fuse_loop_config *config = fuse_loop_cfg_create();
    if (!config) {
        return -ENOMEM;
    }
    fuse_loop_cfg_set_max_threads(config, max_threads);
    fuse_loop_cfg_set_clone_fd(config, clone_fd);
    int result = fuse_session_loop_mt(session, config);
    fuse_loop_cfg_destroy(config);
    return result;
}

static inline void cfuse_ignore_signal(int number) {
    (void)number;
}

// A signal that does nothing but interrupt the loop's wait: a real-time signal that nothing else uses.
static inline int cfuse_wake_signal(void) {
    return SIGRTMIN + 4;
}

// For the thread that is to be woken: without SA_RESTART, so that what it waits in returns with EINTR, and
// let through, because threads that libdispatch's have started inherit that all signals are blocked. 0 or -1.
static inline int cfuse_install_wake_handler(void) {
    struct sigaction action;
    sigset_t signals;
    memset(&action, 0, sizeof action);
    action.sa_handler = cfuse_ignore_signal;
    sigemptyset(&signals);
    sigaddset(&signals, cfuse_wake_signal());
    return sigaction(cfuse_wake_signal(), &action, 0) || pthread_sigmask(SIG_UNBLOCK, &signals, 0) ? -1 : 0;
}

// Names the calling thread for ps(1). In C because prctl is variadic.
static inline void cfuse_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
