// The decompression of JPEG by libturbojpeg, which is opened at run time, so that a program runs without it.

#ifndef CTURBOJPEG_H
#define CTURBOJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Opens libturbojpeg.so.0 (libjpeg-turbo 2.0 or later), the first time; false when this machine has none that is new
/// enough. May be called by any thread.
bool CTurboJPEGOpen(void);

/// The outcomes of a decompression.
typedef enum {
    /// The whole picture was read.
    CTURBOJPEG_WHOLE = 0,
    /// The picture was read as far as it goes; a part of its data is missing or damaged.
    CTURBOJPEG_DAMAGED = 1,
    /// Nothing was read, or the size is another one.
    CTURBOJPEG_FAILED = 2
} CTurboJPEGOutcome;

/// Reads a JPEG of exactly this size into `luminance`, one byte for each pixel, row by row without gaps.
CTurboJPEGOutcome CTurboJPEGRead(const uint8_t *bytes, size_t count, uint8_t *luminance, int width, int height);

#endif
