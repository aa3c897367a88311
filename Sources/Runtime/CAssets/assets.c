#include "CAssets.h"

// A new file needs two entries here and one in PageAssets.swift.
static const unsigned char status_css[] = {
#embed "Files/status.css"
};
static const unsigned char desk_html[] = {
#embed "Files/desk.html"
};
static const unsigned char desk_css[] = {
#embed "Files/desk.css"
};
static const unsigned char desk_js[] = {
#embed "Files/desk.js"
};
static const unsigned char desk_en_json[] = {
#embed "Files/desk.en.json"
};
static const unsigned char desk_fr_json[] = {
#embed "Files/desk.fr.json"
};
static const unsigned char desk_ar_json[] = {
#embed "Files/desk.ar.json"
};
static const unsigned char desk_hi_json[] = {
#embed "Files/desk.hi.json"
};
static const unsigned char desk_svg[] = {
#embed "Files/desk.svg"
};

static const CAsset assets[] = {
    {"status.css", status_css, sizeof status_css},
    {"desk.html", desk_html, sizeof desk_html},
    {"desk.svg", desk_svg, sizeof desk_svg},
    {"desk.css", desk_css, sizeof desk_css},
    {"desk.js", desk_js, sizeof desk_js},
    {"desk.en.json", desk_en_json, sizeof desk_en_json},
    {"desk.fr.json", desk_fr_json, sizeof desk_fr_json},
    {"desk.ar.json", desk_ar_json, sizeof desk_ar_json},
    {"desk.hi.json", desk_hi_json, sizeof desk_hi_json},
};

size_t CAssetCount(void) {
    return sizeof assets / sizeof assets[0];
}

CAsset CAssetAt(size_t index) {
    const CAsset none = {0};
    return index < CAssetCount() ? assets[index] : none;
}
