// The commit from which the program was built.

#ifndef CBUILD_H
#define CBUILD_H

/// The commit that was built, hexadecimal with a `+` when files were changed; empty when SYMBOLON_COMMIT was not set.
const char *CBuildCommit(void);

#endif
