// A search in a process of its own.

#ifndef CZXING_PROCESS_H
#define CZXING_PROCESS_H

#include "CZXing.h"

typedef int (*CZXingSearch)(const CZXingPicture *picture, CZXingCode *codes, int capacity);

// Calls `read` in a process without rights that may take this much time of a processor, and subtracts what was spent.
// Returns the number of codes; -1 when the process did not come to its end.
int czxing_search_apart(
    CZXingSearch read, const CZXingPicture *picture, CZXingCode *codes, int capacity, int *milliseconds);

#endif
