// Opens libturbojpeg at run time, and calls the TurboJPEG interface of version 2 (turbojpeg.h of libjpeg-turbo 2.1).

#include "CTurboJPEG.h"

#include <dlfcn.h>
#include <pthread.h>

#ifdef __APPLE__
#define LIBRARY "libturbojpeg.0.dylib"
#else
#define LIBRARY "libturbojpeg.so.0"
#endif

// TJPF_GRAY, TJFLAG_LIMITSCANS and TJERR_WARNING.
enum { PIXELS_GREY = 6, LIMIT_SCANS = 32768, ERROR_IS_WARNING = 0 };

// Each function: what it returns, its name, and its parameters.
#define FUNCTIONS(F)                                                                                                   \
    F(void *, tjInitDecompress, (void))                                                                                \
    F(int, tjDestroy, (void *handle))                                                                                  \
    F(int, tjDecompressHeader3,                                                                                        \
      (void *handle, const unsigned char *bytes, unsigned long count, int *width, int *height, int *sampling,          \
       int *colours))                                                                                                  \
    F(int, tjDecompress2,                                                                                              \
      (void *handle, const unsigned char *bytes, unsigned long count, unsigned char *output, int width, int pitch,     \
       int height, int format, int flags))                                                                             \
    F(int, tjGetErrorCode, (void *handle))

#define ADDRESS(type, name, parameters) type(*name) parameters;
static struct {
    FUNCTIONS(ADDRESS)
} turbojpeg;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_open = false;

static bool find(void *library, const char *name, void *address) {
    *(void **)address = dlsym(library, name);
    return *(void **)address != NULL;
}

static void open_library(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    is_open = true;
#define FIND(type, name, parameters) is_open = find(library, #name, (void *)&turbojpeg.name) && is_open;
    FUNCTIONS(FIND)
}

bool CTurboJPEGOpen(void) {
    pthread_once(&once, open_library);
    return is_open;
}

CTurboJPEGOutcome CTurboJPEGRead(const uint8_t *bytes, size_t count, uint8_t *luminance, int width, int height) {
    if (!CTurboJPEGOpen()) return CTURBOJPEG_FAILED;
    void *handle = turbojpeg.tjInitDecompress();
    if (handle == NULL) return CTURBOJPEG_FAILED;
    int found_width = 0, found_height = 0, sampling = 0, colours = 0;
    CTurboJPEGOutcome outcome = CTURBOJPEG_FAILED;
    // The header may have a warning, too; what counts is that the size is the one for which there is room.
    turbojpeg.tjDecompressHeader3(
        handle, bytes, (unsigned long)count, &found_width, &found_height, &sampling, &colours);
    if (found_width == width && found_height == height) {
        int result = turbojpeg.tjDecompress2(
            handle, bytes, (unsigned long)count, luminance, width, width, height, PIXELS_GREY, LIMIT_SCANS);
        if (result == 0)
            outcome = CTURBOJPEG_WHOLE;
        else if (turbojpeg.tjGetErrorCode(handle) == ERROR_IS_WARNING)
            outcome = CTURBOJPEG_DAMAGED;
    }
    turbojpeg.tjDestroy(handle);
    return outcome;
}
