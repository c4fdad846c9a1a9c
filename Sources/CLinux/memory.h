// glibc's settings of malloc.
#pragma once

// As in <malloc.h>.
static const int CLINUX_TRIM_THRESHOLD = -1;
static const int CLINUX_MMAP_THRESHOLD = -3;
static const int CLINUX_ARENA_MAX = -8;

extern int mallopt(int parameter, int value);
