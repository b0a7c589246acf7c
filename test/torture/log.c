/* test/torture/log.c - linked into `weir`, records what SQLite writes, in the order of the calls, and what the program says on stderr between.
 * From the record test/torture/power.py makes the files that a power cut would have left.
 *
 *     TORTURE_LOG=FILE    appends records: one byte of kind, file name as 4 bytes of length and bytes, offset as 8, data as 4 and bytes
 *
 * Numbers are little-endian. Kinds: c created, w written, t truncated to offset, s synced,
 * d deleted (offset 1: and the folder synced), e data was said on stderr. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 1 + 4 + 8 + 4 };

struct logged { /* followed by the file of the real VFS */
    sqlite3_file base;
    const char *name; /* SQLite keeps it as long as the file is open */
    sqlite3_file *real;
};

static sqlite3_vfs *below, shim;
static int log_fd = -1;

/* Writes one record with one call, so records of several processes do not mix. */
static void put(char kind, const char *name, uint64_t offset, const void *data, uint32_t bytes)
{
    uint32_t length = (uint32_t)strlen(name), size = HEAD + length + bytes;
    unsigned char *record = malloc(size), *at = record;
    if (record == NULL)
        abort();
    *at++ = (unsigned char)kind;
    memcpy(at, &length, 4);
    memcpy(at + 4, name, length);
    at += 4 + length;
    memcpy(at, &offset, 8);
    memcpy(at + 8, &bytes, 4);
    if (bytes > 0)
        memcpy(at + 12, data, bytes);
    if (write(log_fd, record, size) != (ssize_t)size)
        abort();
    free(record);
}

static struct logged *of(sqlite3_file *file)
{
    return (struct logged *)file;
}

static int log_close(sqlite3_file *file)
{
    return of(file)->real->pMethods->xClose(of(file)->real);
}

static int log_read(sqlite3_file *file, void *data, int bytes, sqlite3_int64 offset)
{
    return of(file)->real->pMethods->xRead(of(file)->real, data, bytes, offset);
}

static int log_write(sqlite3_file *file, const void *data, int bytes, sqlite3_int64 offset)
{
    int code = of(file)->real->pMethods->xWrite(of(file)->real, data, bytes, offset);
    if (code == SQLITE_OK && of(file)->name != NULL)
        put('w', of(file)->name, (uint64_t)offset, data, (uint32_t)bytes);
    return code;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int code = of(file)->real->pMethods->xTruncate(of(file)->real, size);
    if (code == SQLITE_OK && of(file)->name != NULL)
        put('t', of(file)->name, (uint64_t)size, NULL, 0);
    return code;
}

static int log_sync(sqlite3_file *file, int flags)
{
    int code = of(file)->real->pMethods->xSync(of(file)->real, flags);
    if (code == SQLITE_OK && of(file)->name != NULL)
        put('s', of(file)->name, 0, NULL, 0);
    return code;
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return of(file)->real->pMethods->xFileSize(of(file)->real, size);
}

static int log_lock(sqlite3_file *file, int level)
{
    return of(file)->real->pMethods->xLock(of(file)->real, level);
}

static int log_unlock(sqlite3_file *file, int level)
{
    return of(file)->real->pMethods->xUnlock(of(file)->real, level);
}

static int log_reserved(sqlite3_file *file, int *result)
{
    return of(file)->real->pMethods->xCheckReservedLock(of(file)->real, result);
}

static int log_control(sqlite3_file *file, int op, void *argument)
{
    return of(file)->real->pMethods->xFileControl(of(file)->real, op, argument);
}

static int log_sector(sqlite3_file *file)
{
    return of(file)->real->pMethods->xSectorSize(of(file)->real);
}

static int log_device(sqlite3_file *file)
{
    return of(file)->real->pMethods->xDeviceCharacteristics(of(file)->real);
}

static int log_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **at)
{
    return of(file)->real->pMethods->xShmMap(of(file)->real, page, size, extend, at);
}

static int log_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return of(file)->real->pMethods->xShmLock(of(file)->real, offset, count, flags);
}

static void log_shm_barrier(sqlite3_file *file)
{
    of(file)->real->pMethods->xShmBarrier(of(file)->real);
}

static int log_shm_unmap(sqlite3_file *file, int remove)
{
    return of(file)->real->pMethods->xShmUnmap(of(file)->real, remove);
}

/* Version 2: without xFetch, SQLite writes by xWrite alone. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector,
    .xDeviceCharacteristics = log_device,
    .xShmMap = log_shm_map,
    .xShmLock = log_shm_lock,
    .xShmBarrier = log_shm_barrier,
    .xShmUnmap = log_shm_unmap,
};

static int log_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *given)
{
    struct logged *opened = of(file);
    int made = name != NULL && access(name, F_OK) != 0, code;
    (void)vfs;
    opened->real = (sqlite3_file *)(opened + 1);
    opened->name = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0 ? NULL : name;
    code = below->xOpen(below, name, opened->real, flags, given);
    opened->base.pMethods = opened->real->pMethods != NULL ? &methods : NULL;
    if (code == SQLITE_OK && made && opened->name != NULL && (flags & SQLITE_OPEN_CREATE) != 0)
        put('c', name, 0, NULL, 0);
    return code;
}

static int log_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    int code = below->xDelete(below, name, sync);
    (void)vfs;
    if (code == SQLITE_OK)
        put('d', name, (uint64_t)sync, NULL, 0);
    return code;
}

static ssize_t say(void *cookie, const char *text, size_t bytes)
{
    (void)cookie;
    put('e', "", 0, text, (uint32_t)bytes);
    return write(STDERR_FILENO, text, bytes);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("TORTURE_LOG");
    if (path == NULL)
        return;
    log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    below = sqlite3_vfs_find(NULL);
    if (log_fd < 0 || below == NULL)
        abort();
    shim = *below;
    shim.zName = "torture";
    shim.pNext = NULL;
    shim.szOsFile = (int)sizeof(struct logged) + below->szOsFile;
    shim.xOpen = log_open;
    shim.xDelete = log_delete;
    (void)sqlite3_vfs_register(&shim, 1);
    stderr = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = say });
    if (stderr == NULL || setvbuf(stderr, NULL, _IOLBF, BUFSIZ) != 0)
        abort();
}
