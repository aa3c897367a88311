// The calls of libZXing.so.2, which version1.cpp compiles where its headers are.

#ifndef CZXING_VERSION1_H
#define CZXING_VERSION1_H

#include "CZXing.h"

#ifdef __cplusplus
extern "C" {
#endif

bool czxing_version1_is_compiled(void);
CZXingState czxing_version1_open(void);
int czxing_version1_read(const CZXingPicture *picture, CZXingCode *codes, int capacity);

#ifdef __cplusplus
}
#endif

#endif
