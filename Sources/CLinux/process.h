// Calls about a process. No policy: Mounting chooses which rights it gives up.
#pragma once

#include <asm/unistd.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <stdint.h>

// From <linux/sched.h>: a namespace of mounts.
static const int CLINUX_MOUNT_NAMESPACE = 0x00020000;

// As in <sched.h>, <sys/prctl.h> and <unistd.h>.
extern int setns(int descriptor, int type);
extern int prctl(int option, ...);
extern long syscall(long number, ...);

// As in <sys/signalfd.h>, where `signals` is a sigset_t.
extern int signalfd(int file, const void *signals, int flags);

// No core dump, and nothing below /proc/PID that tells of memory or environment, but for root. 0 or -1.
static inline int clinux_set_undumpable(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// No program that is started from now on has more rights than this process. 0 or -1.
static inline int clinux_set_no_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

enum {
    CLINUX_DAC_READ_SEARCH = CAP_DAC_READ_SEARCH,
    CLINUX_SYS_ADMIN = CAP_SYS_ADMIN,
};

// Gives up every capability of the calling thread that is not in the mask (bit n for capability n), also for
// programs that it starts. Other threads keep theirs: there must be none yet. 0 or -1.
static inline int clinux_keep_capabilities(uint64_t mask) {
    // The first number that the kernel does not know ends this with EINVAL; who may not do it has less anyway.
    for (int number = 0; number < 64; number++) {
        if (!(mask >> number & 1) && prctl(PR_CAPBSET_READ, number, 0, 0, 0) < 0) break;
        if (!(mask >> number & 1)) prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    if (syscall(__NR_capget, &header, data) != 0) return -1;
    for (int half = 0; half < 2; half++) {
        uint32_t kept = (uint32_t)(mask >> (32 * half));
        data[half].permitted &= kept;
        data[half].effective &= kept;
        data[half].inheritable = 0;
    }
    return (int)syscall(__NR_capset, &header, data);
}
