#include "CBuild.h"

#ifndef SYMBOLON_COMMIT
#define SYMBOLON_COMMIT ""
#endif

const char *CBuildCommit(void) { return SYMBOLON_COMMIT; }
