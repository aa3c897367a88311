// The files of the folder Files, compiled into the program.

#ifndef CASSETS_H
#define CASSETS_H

#include <stddef.h>

/// One file: its name without a folder, and its bytes, which are there as long as the program.
typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} CAsset;

/// The number of files.
size_t CAssetCount(void);

/// The file at an index below `CAssetCount()`; without a name past it.
CAsset CAssetAt(size_t index);

#endif
