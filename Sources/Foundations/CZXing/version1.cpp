// Calls libZXing.so.2 of zxing-cpp 1.4. Its header gives the layout of its types; the two functions that are not in the
// header are found at run time, so that the program does not name the library.

#include "version1.h"

// Later versions have Version.h instead.
#if __has_include(<ZXing/ZXVersion.h>) && !__has_include(<ZXing/Version.h>)
#include <ZXing/ZXVersion.h>
#endif

#if defined(ZXING_VERSION_MAJOR) && ZXING_VERSION_MAJOR == 1 && ZXING_VERSION_MINOR == 4

#define ZX_USE_UTF8
#include <ZXing/ReadBarcode.h>

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace {

using ReadFunction = ZXing::Results (*)(const ZXing::ImageView &, const ZXing::DecodeHints &);
// A member function has the convention of a function whose first parameter is the object.
using BytesFunction = const ZXing::ByteArray &(*)(const ZXing::Result *);

ReadFunction read_barcodes = nullptr;
BytesFunction bytes_of = nullptr;

struct Pair {
    unsigned ours;
    ZXing::BarcodeFormat theirs;
};
const Pair pairs[] = {
    {CZXING_AZTEC, ZXing::BarcodeFormat::Aztec},
    {CZXING_DATA_MATRIX, ZXing::BarcodeFormat::DataMatrix},
    {CZXING_PDF417, ZXing::BarcodeFormat::PDF417},
    {CZXING_QR_CODE, ZXing::BarcodeFormat::QRCode},
};

ZXing::DecodeHints hints(const CZXingPicture *picture, int capacity) {
    ZXing::BarcodeFormats formats;
    for (const auto &pair : pairs)
        if (picture->symbologies & pair.ours) formats |= pair.theirs;
    ZXing::DecodeHints hints;
    hints.setFormats(formats);
    hints.setTryHarder(picture->isThorough);
    hints.setTryRotate(picture->isThorough);
    hints.setMaxNumberOfSymbols(static_cast<uint8_t>(capacity));
    return hints;
}

bool fill(CZXingCode *code, const ZXing::Result &result) {
    if (!result.isValid()) return false;
    unsigned symbology = 0;
    for (const auto &pair : pairs)
        if (result.format() == pair.theirs) symbology = pair.ours;
    const auto &bytes = bytes_of(&result);
    if (symbology == 0 || bytes.empty()) return false;
    code->bytes = static_cast<uint8_t *>(std::malloc(bytes.size()));
    if (code->bytes == nullptr) return false;
    std::memcpy(code->bytes, bytes.data(), bytes.size());
    code->count = bytes.size();
    code->symbology = static_cast<CZXingSymbology>(symbology);
    for (int corner = 0; corner < 4; ++corner) {
        code->x[corner] = result.position()[corner].x;
        code->y[corner] = result.position()[corner].y;
    }
    return true;
}

} // namespace

bool czxing_version1_is_compiled(void) { return true; }

CZXingState czxing_version1_open(void) {
    void *library = dlopen("libZXing.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return CZXING_MISSING;
    read_barcodes = reinterpret_cast<ReadFunction>(
        dlsym(library, "_ZN5ZXing12ReadBarcodesERKNS_9ImageViewERKNS_11DecodeHintsE"));
    // Version 1.3, of the same file name, has no such function.
    bytes_of = reinterpret_cast<BytesFunction>(dlsym(library, "_ZNK5ZXing6Result5bytesEv"));
    return read_barcodes != nullptr && bytes_of != nullptr ? CZXING_OPEN : CZXING_TOO_OLD;
}

int czxing_version1_read(const CZXingPicture *picture, CZXingCode *codes, int capacity) {
    try {
        const ZXing::ImageView view(picture->luminance, picture->width, picture->height, ZXing::ImageFormat::Lum);
        const auto results = read_barcodes(view, hints(picture, capacity));
        int count = 0;
        for (const auto &result : results)
            if (count < capacity && fill(&codes[count], result)) ++count;
        return count;
    } catch (...) {
        return 0;
    }
}

#else

bool czxing_version1_is_compiled(void) { return false; }

CZXingState czxing_version1_open(void) { return CZXING_MISSING; }

int czxing_version1_read(const CZXingPicture *, CZXingCode *, int) { return 0; }

#endif
