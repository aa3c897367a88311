#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdint.h>

/* How many blocks this process has asked for so far: malloc, calloc, realloc of nothing, and the aligned kinds. */
uint64_t allocation_count(void);

#endif
