#include "fault_vfs.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 16, REGIONS = 64, SECTOR = 512 };

// A write or, with a null pointer, a truncation that was not synced yet.
typedef struct change {
    struct change *next;
    sqlite3_int64 offset;
    int count;
    unsigned char *bytes;
} change;

typedef struct content {
    unsigned char *bytes;
    sqlite3_int64 count;
} content;

typedef struct fault_file {
    char name[256];
    content now;
    content synced;
    content kept;
    int is_kept;
    change *first, **last;
    void *regions[REGIONS];
    int region_count;
} fault_file;

struct fault_vfs {
    sqlite3_vfs base;
    char name[64];
    fault_file *files[FILES];
    int fault;
    long target, operations;
    int struck, dead;
};

typedef struct handle {
    sqlite3_file base;
    fault_vfs *layer;
    fault_file *file;
} handle;

// Contents.

static void resize(content *content, sqlite3_int64 count) {
    if (count > content->count) {
        content->bytes = realloc(content->bytes, (size_t)count);
        memset(content->bytes + content->count, 0, (size_t)(count - content->count));
    }
    content->count = count;
}

static void put(content *content, const unsigned char *bytes, int count, sqlite3_int64 offset) {
    if (offset + count > content->count) resize(content, offset + count);
    memcpy(content->bytes + offset, bytes, (size_t)count);
}

static void copy(content *to, const content *from) {
    free(to->bytes);
    to->bytes = malloc((size_t)from->count + 1);
    to->count = from->count;
    if (from->count > 0) memcpy(to->bytes, from->bytes, (size_t)from->count);
}

static void note(fault_file *file, const unsigned char *bytes, int count, sqlite3_int64 offset) {
    change *made = calloc(1, sizeof(change));
    made->offset = offset;
    made->count = count;
    if (bytes) {
        made->bytes = malloc((size_t)count + 1);
        memcpy(made->bytes, bytes, (size_t)count);
    }
    *file->last = made;
    file->last = &made->next;
}

static void forget_changes(fault_file *file) {
    while (file->first) {
        change *next = file->first->next;
        free(file->first->bytes);
        free(file->first);
        file->first = next;
    }
    file->last = &file->first;
}

static void forget_regions(fault_file *file) {
    for (int i = 0; i < file->region_count; i++) free(file->regions[i]);
    file->region_count = 0;
}

static void free_file(fault_file *file) {
    forget_changes(file);
    forget_regions(file);
    free(file->now.bytes);
    free(file->synced.bytes);
    free(file->kept.bytes);
    free(file);
}

static fault_file **slot(fault_vfs *layer, const char *name) {
    for (int i = 0; i < FILES; i++)
        if (layer->files[i] && strcmp(layer->files[i]->name, name) == 0) return &layer->files[i];
    return NULL;
}

// Faults. A count of what comes: 0 goes on, 1 fails, 2 is cut off.
static int strike(fault_vfs *layer) {
    if (layer->dead) return 1;
    layer->operations++;
    if (layer->fault == FAULT_NONE || layer->operations < layer->target) return 0;
    if (layer->operations == layer->target) layer->struck = 1;
    switch (layer->fault) {
    case FAULT_CRASH:
        layer->dead = 1;
        return 2;
    case FAULT_IO_ONCE:
        return layer->operations == layer->target;
    case FAULT_IO_LASTING:
        return 1;
    default:
        return 0;
    }
}

// SQLITE_OK where a file may end at `end`, else how the lack of room is reported.
static int room(fault_vfs *layer, fault_file *file, sqlite3_int64 end) {
    if (!layer->struck || end <= file->now.count) return SQLITE_OK;
    switch (layer->fault) {
    case FAULT_FULL:
        return SQLITE_FULL;
    case FAULT_FILE_LIMIT:
    case FAULT_QUOTA:
        return SQLITE_IOERR_WRITE;
    default:
        return SQLITE_OK;
    }
}

// Methods of a file.

static int file_close(sqlite3_file *base) {
    handle *open = (handle *)base;
    if (open->file && open->file->name[0] == 0) free_file(open->file);
    open->file = NULL;
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    handle *open = (handle *)base;
    if (open->layer->dead) return SQLITE_IOERR_READ;
    sqlite3_int64 there = open->file->now.count - offset;
    if (there < 0) there = 0;
    if (there > count) there = count;
    if (there > 0) memcpy(buffer, open->file->now.bytes + offset, (size_t)there);
    if (there == count) return SQLITE_OK;
    memset((char *)buffer + there, 0, (size_t)(count - there));
    return SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
    handle *open = (handle *)base;
    int fate = strike(open->layer);
    if (fate == 1) return SQLITE_IOERR_WRITE;
    int room_status = room(open->layer, open->file, offset + count);
    if (room_status != SQLITE_OK) return room_status;
    // An operation that is cut off writes its first half, as a write that a power failure interrupts may.
    int written = fate == 2 ? count / 2 : count;
    put(&open->file->now, buffer, written, offset);
    note(open->file, buffer, written, offset);
    return fate == 2 ? SQLITE_IOERR_WRITE : SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 count) {
    handle *open = (handle *)base;
    if (strike(open->layer)) return SQLITE_IOERR_TRUNCATE;
    if (count < open->file->now.count) resize(&open->file->now, count);
    note(open->file, NULL, 0, count);
    return SQLITE_OK;
}

static int file_sync(sqlite3_file *base, int flags) {
    (void)flags;
    handle *open = (handle *)base;
    if (strike(open->layer)) return SQLITE_IOERR_FSYNC;
    copy(&open->file->synced, &open->file->now);
    forget_changes(open->file);
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *count) {
    handle *open = (handle *)base;
    if (open->layer->dead) return SQLITE_IOERR_FSTAT;
    *count = open->file->now.count;
    return SQLITE_OK;
}

static int no_lock(sqlite3_file *base, int level) {
    (void)base, (void)level;
    return SQLITE_OK;
}

static int not_reserved(sqlite3_file *base, int *result) {
    (void)base;
    *result = 0;
    return SQLITE_OK;
}

// The error number that the layer's fault stands for.
static int fault_number(const fault_vfs *layer) {
    switch (layer->fault) {
    case FAULT_FILE_LIMIT:
        return EFBIG;
    case FAULT_QUOTA:
        return EDQUOT;
    default:
        return EIO;
    }
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    if (operation != SQLITE_FCNTL_LAST_ERRNO) return SQLITE_NOTFOUND;
    const fault_vfs *layer = ((handle *)base)->layer;
    *(int *)argument = layer->struck ? fault_number(layer) : 0;
    return SQLITE_OK;
}

static int sector_size(sqlite3_file *base) {
    (void)base;
    return SECTOR;
}

static int no_promises(sqlite3_file *base) {
    (void)base;
    return 0;
}

static int shm_map(sqlite3_file *base, int region, int count, int extend, void volatile **address) {
    fault_file *file = ((handle *)base)->file;
    if (region >= REGIONS) return SQLITE_NOMEM;
    if (region >= file->region_count && !extend) {
        *address = NULL;
        return SQLITE_OK;
    }
    while (file->region_count <= region) file->regions[file->region_count++] = calloc(1, (size_t)count);
    *address = file->regions[region];
    return SQLITE_OK;
}

static int shm_lock(sqlite3_file *base, int offset, int count, int flags) {
    (void)base, (void)offset, (void)count, (void)flags;
    return SQLITE_OK;
}

static void shm_barrier(sqlite3_file *base) { (void)base; }

static int shm_unmap(sqlite3_file *base, int deletes) {
    if (deletes) forget_regions(((handle *)base)->file);
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    2,          file_close, file_read,    file_write, file_truncate, file_sync,   file_size, no_lock, no_lock,
    not_reserved, file_control, sector_size, no_promises, shm_map,      shm_lock,    shm_barrier, shm_unmap, NULL, NULL,
};

// Methods of the layer.

static int layer_open(sqlite3_vfs *base, const char *name, sqlite3_file *file, int flags, int *out) {
    fault_vfs *layer = (fault_vfs *)base;
    handle *open = (handle *)file;
    memset(open, 0, sizeof(*open));
    if (layer->dead) return SQLITE_CANTOPEN;
    fault_file **place = name ? slot(layer, name) : NULL;
    fault_file *found = place ? *place : NULL;
    if (!found) {
        if (name && !(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
        found = calloc(1, sizeof(fault_file));
        found->last = &found->first;
        if (name) {
            strncpy(found->name, name, sizeof(found->name) - 1);
            int free_place = 0;
            while (free_place < FILES && layer->files[free_place]) free_place++;
            if (free_place == FILES) {
                free_file(found);
                return SQLITE_CANTOPEN;
            }
            layer->files[free_place] = found;
        }
    }
    open->base.pMethods = &methods;
    open->layer = layer;
    open->file = found;
    if (out) *out = flags;
    return SQLITE_OK;
}

static int layer_delete(sqlite3_vfs *base, const char *name, int syncs) {
    (void)syncs;
    fault_vfs *layer = (fault_vfs *)base;
    if (strike(layer)) return SQLITE_IOERR_DELETE;
    fault_file **place = slot(layer, name);
    if (!place) return SQLITE_IOERR_DELETE_NOENT;
    free_file(*place);
    *place = NULL;
    return SQLITE_OK;
}

static int layer_access(sqlite3_vfs *base, const char *name, int flags, int *result) {
    (void)flags;
    fault_file **place = slot((fault_vfs *)base, name);
    *result = place && (flags != SQLITE_ACCESS_EXISTS || (*place)->now.count > 0);
    return SQLITE_OK;
}

static int layer_path(sqlite3_vfs *base, const char *name, int count, char *out) {
    (void)base;
    sqlite3_snprintf(count, out, "%s", name);
    return SQLITE_OK;
}

static int layer_randomness(sqlite3_vfs *base, int count, char *out) {
    (void)base;
    for (int i = 0; i < count; i++) out[i] = (char)(i * 37 + 11);
    return count;
}

static int layer_sleep(sqlite3_vfs *base, int microseconds) {
    (void)base;
    usleep((useconds_t)microseconds);
    return microseconds;
}

static int layer_time(sqlite3_vfs *base, double *day) {
    (void)base;
    *day = 2460000.5;
    return SQLITE_OK;
}

static int layer_error(sqlite3_vfs *base, int count, char *out) {
    (void)count, (void)out;
    return fault_number((fault_vfs *)base);
}

// The functions that tests call.

fault_vfs *fault_vfs_create(const char *name) {
    fault_vfs *layer = calloc(1, sizeof(fault_vfs));
    strncpy(layer->name, name, sizeof(layer->name) - 1);
    layer->base = (sqlite3_vfs){
        .iVersion = 1, .szOsFile = sizeof(handle), .mxPathname = 255, .zName = layer->name, .xOpen = layer_open,
        .xDelete = layer_delete, .xAccess = layer_access, .xFullPathname = layer_path,
        .xRandomness = layer_randomness, .xSleep = layer_sleep, .xCurrentTime = layer_time,
        .xGetLastError = layer_error,
    };
    sqlite3_vfs_register(&layer->base, 0);
    return layer;
}

void fault_vfs_destroy(fault_vfs *layer) {
    sqlite3_vfs_unregister(&layer->base);
    for (int i = 0; i < FILES; i++)
        if (layer->files[i]) free_file(layer->files[i]);
    free(layer);
}

void fault_vfs_arm(fault_vfs *layer, int fault, long operation) {
    layer->fault = fault;
    layer->target = operation;
    layer->operations = 0;
    layer->struck = 0;
}

long fault_vfs_operations(const fault_vfs *layer) { return layer->operations; }

int fault_vfs_has_struck(const fault_vfs *layer) { return layer->struck; }

static uint64_t draw(uint64_t *state) {
    *state += 0x9E3779B97F4A7C15u;
    uint64_t value = *state;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

// Puts those sectors of a change into the synced content that luck lets reach the disk.
static void lose_power(fault_file *file, uint64_t *luck) {
    for (change *change = file->first; change; change = change->next) {
        uint64_t fate = draw(luck) % 3;
        if (fate == 0) continue;
        if (!change->bytes) {
            if (change->offset < file->synced.count) resize(&file->synced, change->offset);
            continue;
        }
        for (int at = 0; at < change->count;) {
            int count = SECTOR - (int)((change->offset + at) % SECTOR);
            if (count > change->count - at) count = change->count - at;
            if (fate == 1 || draw(luck) % 2) put(&file->synced, change->bytes + at, count, change->offset + at);
            at += count;
        }
    }
    copy(&file->now, &file->synced);
}

void fault_vfs_keep(fault_vfs *layer) {
    for (int i = 0; i < FILES; i++) {
        fault_file *file = layer->files[i];
        if (!file) continue;
        copy(&file->kept, &file->now);
        file->is_kept = 1;
    }
}

void fault_vfs_put_back(fault_vfs *layer) {
    for (int i = 0; i < FILES; i++) {
        fault_file *file = layer->files[i];
        if (!file) continue;
        if (!file->is_kept) {
            free_file(file);
            layer->files[i] = NULL;
            continue;
        }
        copy(&file->now, &file->kept);
        copy(&file->synced, &file->kept);
        forget_changes(file);
        forget_regions(file);
    }
}

void fault_vfs_copy(fault_vfs *to, const fault_vfs *from) {
    for (int i = 0; i < FILES; i++) {
        if (!from->files[i]) continue;
        fault_file *made = calloc(1, sizeof(fault_file));
        made->last = &made->first;
        strcpy(made->name, from->files[i]->name);
        copy(&made->now, &from->files[i]->now);
        copy(&made->synced, &from->files[i]->now);
        to->files[i] = made;
    }
}

void fault_vfs_restart(fault_vfs *layer, int how, uint64_t seed) {
    uint64_t luck = seed;
    for (int i = 0; i < FILES; i++) {
        fault_file *file = layer->files[i];
        if (!file) continue;
        if (how == RESTART_AFTER_POWER_LOSS) lose_power(file, &luck);
        copy(&file->synced, &file->now);
        forget_changes(file);
        forget_regions(file);
    }
    layer->dead = 0;
    layer->fault = FAULT_NONE;
    layer->operations = 0;
    layer->struck = 0;
}
