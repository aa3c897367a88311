// A file layer of SQLite in memory, for tests: it counts what changes a file, fails where it is told to, and can lose power.
#ifndef FAULT_VFS_H
#define FAULT_VFS_H

#include <stdint.h>

typedef struct fault_vfs fault_vfs;

enum {
    FAULT_NONE = 0,
    FAULT_CRASH = 1,      // the operation is cut off, and nothing works any more until the restart
    FAULT_IO_ONCE = 2,    // the operation fails, later ones work
    FAULT_IO_LASTING = 3, // the operation and all later ones that change a file fail
    FAULT_FULL = 4,       // from the operation on no file grows
    FAULT_FILE_LIMIT = 5, // the same, because of the process's limit of a file's size (EFBIG)
    FAULT_QUOTA = 6,      // the same, because of the user's quota (EDQUOT)
};

enum {
    RESTART_KEEPS_WRITES = 0, // as after a kill: all that was written is there
    RESTART_AFTER_POWER_LOSS = 1, // what was synced is there, of the rest any sectors
};

// Registers a layer under a name that no other one has.
fault_vfs *fault_vfs_create(const char *name);
// Forgets the layer and its files; nothing may be open in it.
void fault_vfs_destroy(fault_vfs *layer);
// Lets the operation of this number fail, counted from 1 on from now.
void fault_vfs_arm(fault_vfs *layer, int fault, long operation);
// The number of operations that changed a file since the layer was armed.
long fault_vfs_operations(const fault_vfs *layer);
// Returns nonzero once the armed fault has happened.
int fault_vfs_has_struck(const fault_vfs *layer);
// Puts a copy of all files into a new layer; no transaction may be under way.
void fault_vfs_copy(fault_vfs *to, const fault_vfs *from);
// Keeps a copy of all files, in place of an earlier one; no transaction may be under way.
void fault_vfs_keep(fault_vfs *layer);
// Puts the kept copy in the place of all files; nothing may be open.
void fault_vfs_put_back(fault_vfs *layer);
// Brings everything back that is not lost; nothing may be open.
void fault_vfs_restart(fault_vfs *layer, int how, uint64_t seed);

#endif
