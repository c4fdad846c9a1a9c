// Events of the network and of the clock, and the other end of a local connection. No policy: Mounting decides what a change is, and
// whom it answers.
#pragma once

#include <asm/unistd.h>
#include <stdint.h>

extern long syscall(long number, ...);

// SOCK_CLOEXEC and TFD_CLOEXEC, SOCK_NONBLOCK and TFD_NONBLOCK, which are the flags of open(2) in <asm-generic/fcntl.h>.
static const int CLINUX_CLOSE_ON_EXEC = 02000000;
static const int CLINUX_NONBLOCKING = 00004000;

// A socket that becomes readable when links, addresses or routes change (rtnetlink(7)); -1 if there is none. Needs no right.
static inline int clinux_watch_network(void) {
    int flags = CLINUX_CLOSE_ON_EXEC | CLINUX_NONBLOCKING;
    // AF_NETLINK, SOCK_RAW, NETLINK_ROUTE.
    int socket = (int)syscall(__NR_socket, 16, 3 | flags, 0);
    if (socket < 0) return -1;
    // As struct sockaddr_nl in <linux/netlink.h>. RTMGRP_LINK, and IPV4 and IPV6 of RTMGRP_…_IFADDR and RTMGRP_…_ROUTE.
    struct {
        uint16_t family, padding;
        uint32_t process, groups;
    } address = {16, 0, 0, 0x1 | 0x10 | 0x40 | 0x100 | 0x400};
    if (syscall(__NR_bind, socket, &address, sizeof address) == 0) return socket;
    syscall(__NR_close, socket);
    return -1;
}

// Makes a timer of `clinux_watch_clock` wait again. 0 or -1.
static inline int clinux_rearm_clock(int timer) {
    // The year 2200. TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET.
    struct {
        int64_t interval[2], value[2];
    } wait = {{0, 0}, {7258118400, 0}};
    return (int)syscall(__NR_timerfd_settime, timer, 1 | 2, &wait, 0);
}

// A timer that becomes readable when the clock is set, which the kernel does after a suspend (timerfd_create(2)); -1 if there is
// none.
static inline int clinux_watch_clock(void) {
    // CLOCK_REALTIME.
    int timer = (int)syscall(__NR_timerfd_create, 0, CLINUX_CLOSE_ON_EXEC | CLINUX_NONBLOCKING);
    if (timer < 0) return -1;
    if (clinux_rearm_clock(timer) == 0) return timer;
    syscall(__NR_close, timer);
    return -1;
}

// The user of the process that made a connection of a Unix socket (SO_PEERCRED, unix(7)). 0 or -1.
static inline int clinux_peer_user(int socket, uint32_t *user) {
    // As struct ucred in <sys/socket.h>.
    struct {
        int32_t process;
        uint32_t user, group;
    } peer = {0, 0, 0};
    uint32_t size = sizeof peer;
    // SOL_SOCKET, SO_PEERCRED.
    if (syscall(__NR_getsockopt, socket, 1, 17, &peer, &size) != 0 || size != sizeof peer) return -1;
    *user = peer.user;
    return 0;
}
