// The reading of codes by zxing-cpp, whose library is opened at run time, so that a program runs without it.
//
// libZXing.so.3 (zxing-cpp 2.2 and later) has a C interface of its own, which is called. libZXing.so.2 (1.4) has
// classes of C++ alone, and is called by what is compiled against its headers, where the machine that builds has them.
// No exception of C++ leaves a function here.

#ifndef CZXING_H
#define CZXING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The outcomes of opening the library.
typedef enum {
    /// It is open.
    CZXING_OPEN = 0,
    /// This machine has no version of it that this program can call.
    CZXING_MISSING = 1,
    /// It lacks a function, so that it is older than the interface that is called.
    CZXING_TOO_OLD = 2
} CZXingState;

/// The symbologies that are looked for.
typedef enum {
    CZXING_AZTEC = 1 << 0,
    CZXING_DATA_MATRIX = 1 << 1,
    CZXING_PDF417 = 1 << 2,
    CZXING_QR_CODE = 1 << 3
} CZXingSymbology;

/// A picture of one byte for each pixel, row by row without gaps, and the way in which it is searched.
typedef struct {
    const uint8_t *luminance;
    int width, height;
    /// A sum of `CZXingSymbology`.
    unsigned symbologies;
    /// Searches more rows, and for codes on their side, at the cost of time.
    bool isThorough;
    /// Searches an inverted copy for QR codes when nothing was found.
    bool isInvertedToo;
} CZXingPicture;

/// A code that was found. `bytes` is freed by `CZXingFree`.
typedef struct {
    uint8_t *bytes;
    size_t count;
    CZXingSymbology symbology;
    /// The corners as the code is read: top left, top right, bottom right, bottom left.
    int x[4], y[4];
} CZXingCode;

/// Opens the library, the first time. May be called by any thread.
CZXingState CZXingOpen(void);

/// True when libZXing.so.2 would be called, because its headers were there when this was compiled.
bool CZXingKnowsVersion1(void);

/// Fills `codes` with at most `capacity` codes, up to 16, and returns their number.
///
/// The search runs in a process of its own, which may take `milliseconds` of a processor; what it took is subtracted.
/// Returns -1 when the library is not open, or the process did not come to its end: its time was spent, or it failed.
int CZXingRead(const CZXingPicture *picture, CZXingCode *codes, int capacity, int *milliseconds);

/// Frees the bytes of the first `count` codes.
void CZXingFree(CZXingCode *codes, int count);

#endif
