// Opens libZXing at run time, the newest version first, and calls the C interface that version 2.2 and later export
// (ZXing/ZXingC.h of zxing-cpp 2.3).

#include "CZXing.h"
#include "process.h"
#include "version1.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#define LIBRARY "libZXing.3.dylib"
#else
#define LIBRARY "libZXing.so.3"
#endif

// Values of ZXing_ImageFormat and ZXing_BarcodeFormat.
enum { FORMAT_LUMINANCE = 0x01000000 };
static const struct {
    unsigned ours, theirs;
} symbologies[] = {
    {CZXING_AZTEC, 1 << 0}, {CZXING_DATA_MATRIX, 1 << 7}, {CZXING_PDF417, 1 << 12}, {CZXING_QR_CODE, 1 << 13}};
enum { SYMBOLOGY_COUNT = sizeof symbologies / sizeof symbologies[0] };

typedef struct {
    struct {
        int x, y;
    } corners[4];
} Position;

// Each function: what it returns, its name behind ZXing_, and its parameters.
#define FUNCTIONS(F)                                                                                                   \
    F(void *, ImageView_new, (const uint8_t *data, int width, int height, unsigned format, int row, int pixel))        \
    F(void, ImageView_delete, (void *view))                                                                            \
    F(void *, ReaderOptions_new, (void))                                                                               \
    F(void, ReaderOptions_delete, (void *options))                                                                     \
    F(void, ReaderOptions_setFormats, (void *options, unsigned formats))                                               \
    F(void, ReaderOptions_setTryHarder, (void *options, bool value))                                                   \
    F(void, ReaderOptions_setTryRotate, (void *options, bool value))                                                   \
    F(void, ReaderOptions_setTryInvert, (void *options, bool value))                                                   \
    F(void, ReaderOptions_setTryDownscale, (void *options, bool value))                                                \
    F(void, ReaderOptions_setMaxNumberOfSymbols, (void *options, int value))                                           \
    F(void *, ReadBarcodes, (const void *view, const void *options))                                                   \
    F(int, Barcodes_size, (const void *barcodes))                                                                      \
    F(const void *, Barcodes_at, (const void *barcodes, int index))                                                    \
    F(void, Barcodes_delete, (void *barcodes))                                                                         \
    F(bool, Barcode_isValid, (const void *barcode))                                                                    \
    F(unsigned, Barcode_format, (const void *barcode))                                                                 \
    F(uint8_t *, Barcode_bytes, (const void *barcode, int *count))                                                     \
    F(Position, Barcode_position, (const void *barcode))                                                               \
    F(char *, LastErrorMsg, (void))                                                                                    \
    F(void, free, (void *memory))

#define ADDRESS(type, name, parameters) type(*name) parameters;
static struct {
    FUNCTIONS(ADDRESS)
} zxing;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CZXingState state = CZXING_MISSING;
static bool is_version1 = false;

static bool find(void *library, const char *name, void *address) {
    *(void **)address = dlsym(library, name);
    return *(void **)address != NULL;
}

static void open_library(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
        bool has_all = true;
#define FIND(type, name, parameters) has_all = find(library, "ZXing_" #name, (void *)&zxing.name) && has_all;
        FUNCTIONS(FIND)
        state = has_all ? CZXING_OPEN : CZXING_TOO_OLD;
        if (has_all) return;
    }
    CZXingState older = czxing_version1_open();
    if (older != CZXING_MISSING) state = older;
    is_version1 = older == CZXING_OPEN;
}

CZXingState CZXingOpen(void) {
    pthread_once(&once, open_library);
    return state;
}

bool CZXingKnowsVersion1(void) { return czxing_version1_is_compiled(); }

static bool fill(CZXingCode *code, const void *barcode) {
    if (barcode == NULL || !zxing.Barcode_isValid(barcode)) return false;
    unsigned symbology = 0;
    for (int index = 0; index < SYMBOLOGY_COUNT; ++index)
        if (zxing.Barcode_format(barcode) == symbologies[index].theirs) symbology = symbologies[index].ours;
    int count = 0;
    uint8_t *bytes = symbology == 0 ? NULL : zxing.Barcode_bytes(barcode, &count);
    // The library's own allocator frees what it made.
    code->bytes = bytes == NULL || count <= 0 ? NULL : malloc((size_t)count);
    if (code->bytes != NULL) memcpy(code->bytes, bytes, (size_t)count);
    if (bytes != NULL) zxing.free(bytes);
    if (code->bytes == NULL) return false;
    code->count = (size_t)count;
    code->symbology = (CZXingSymbology)symbology;
    Position position = zxing.Barcode_position(barcode);
    for (int corner = 0; corner < 4; ++corner) {
        code->x[corner] = position.corners[corner].x;
        code->y[corner] = position.corners[corner].y;
    }
    return true;
}

static int read_version2(const CZXingPicture *picture, CZXingCode *codes, int capacity) {
    unsigned formats = 0;
    for (int index = 0; index < SYMBOLOGY_COUNT; ++index)
        if (picture->symbologies & symbologies[index].ours) formats |= symbologies[index].theirs;
    void *options = zxing.ReaderOptions_new();
    void *view =
        zxing.ImageView_new(picture->luminance, picture->width, picture->height, FORMAT_LUMINANCE, picture->width, 1);
    void *barcodes = NULL;
    if (options != NULL && view != NULL) {
        zxing.ReaderOptions_setFormats(options, formats);
        zxing.ReaderOptions_setTryHarder(options, picture->isThorough);
        zxing.ReaderOptions_setTryRotate(options, picture->isThorough);
        // Inverted copies are made by the caller, as for version 1.
        zxing.ReaderOptions_setTryInvert(options, false);
        zxing.ReaderOptions_setTryDownscale(options, true);
        zxing.ReaderOptions_setMaxNumberOfSymbols(options, capacity);
        barcodes = zxing.ReadBarcodes(view, options);
    }
    int count = 0;
    if (barcodes != NULL) {
        int size = zxing.Barcodes_size(barcodes);
        for (int index = 0; index < size && count < capacity; ++index)
            if (fill(&codes[count], zxing.Barcodes_at(barcodes, index))) ++count;
        zxing.Barcodes_delete(barcodes);
    }
    // The message of a failure belongs to the thread, and is given up here.
    char *message = zxing.LastErrorMsg();
    if (message != NULL) zxing.free(message);
    if (view != NULL) zxing.ImageView_delete(view);
    if (options != NULL) zxing.ReaderOptions_delete(options);
    return count;
}

int CZXingRead(const CZXingPicture *picture, CZXingCode *codes, int capacity, int *milliseconds) {
    if (CZXingOpen() != CZXING_OPEN || *milliseconds <= 0) return -1;
    CZXingSearch search = is_version1 ? czxing_version1_read : read_version2;
    return czxing_search_apart(search, picture, codes, capacity, milliseconds);
}

void CZXingFree(CZXingCode *codes, int count) {
    for (int index = 0; index < count; ++index) free(codes[index].bytes);
}
