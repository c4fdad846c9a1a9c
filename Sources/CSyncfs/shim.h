// Linux's flush of a whole filesystem, which Swift's Glibc module leaves out because it does not ask for it
// (_GNU_SOURCE).
#pragma once

// As in <unistd.h>.
extern int syncfs(int descriptor);
