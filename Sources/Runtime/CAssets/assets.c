#include "CAssets.h"

// A new file needs two lines here and one in the table of Assets.swift.
static const unsigned char page_css[] = {
#embed "Files/page.css"
};

static const unsigned char page_js[] = {
#embed "Files/page.js"
};

static const unsigned char status_html[] = {
#embed "Files/status.html"
};

static const CAsset assets[] = {
    {"page.css", page_css, sizeof page_css},
    {"page.js", page_js, sizeof page_js},
    {"status.html", status_html, sizeof status_html},
};

size_t CAssetCount(void) {
    return sizeof assets / sizeof assets[0];
}

CAsset CAssetAt(size_t index) {
    const CAsset none = {0};
    return index < CAssetCount() ? assets[index] : none;
}
