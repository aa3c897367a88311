#include "CAssets.h"

// A new file needs two entries here and one in Assets.swift.
static const unsigned char status_css[] = {
#embed "Files/status.css"
};

static const CAsset assets[] = {
    {"status.css", status_css, sizeof status_css},
};

size_t CAssetCount(void) {
    return sizeof assets / sizeof assets[0];
}

CAsset CAssetAt(size_t index) {
    const CAsset none = {0};
    return index < CAssetCount() ? assets[index] : none;
}
