// Linux's call for namespaces, which Swift's Glibc module leaves out because it does not ask for it
// (_GNU_SOURCE).
#pragma once

// From <linux/sched.h>: a namespace of mounts.
static const int CNAMESPACE_MOUNTS = 0x00020000;

// As in <sched.h>.
extern int setns(int descriptor, int type);
