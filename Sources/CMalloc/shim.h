// glibc's settings of malloc, which Swift's Glibc module leaves out.
#pragma once

#include <malloc.h>
