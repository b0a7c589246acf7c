/* src/results/store/lock.c - takes the writer's lock on a file, and checks that a file is a result file, without
 * a dangerous journal. All steps come before SQLite opens the file, because SQLite might change it. */
#include "core/assert.h"
#include "store/store.h"
#include "store/store_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Length of the file header, and offsets of two numbers in it: https://www.sqlite.org/fileformat2.html, section 1.3.
 * Version and application id of a new file are written before the write-ahead log is enabled, so the header always has
 * both. */
enum { HEADER = 100, VERSION_AT = 60, APPLICATION_AT = 68 };

static int lock_fail(const char *name, int number, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_FILE, NULL,
                     number == ENOENT ? "the folder of a result file must exist, and a link lead to a file" : NULL,
                     "%s: cannot be written: %s", name, strerror(number));
}

static int open_or_make(const char *name, bool *made)
{
    int fd = open(name, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 || errno != ENOENT || made == NULL)
        return fd;
    fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *made = fd >= 0;
    return fd >= 0 || errno != EEXIST ? fd : open(name, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

/* Tests whether the path still leads to the open file: the program that had the lock before may have removed or
 * replaced the file. */
static bool is_named(const char *name, const struct stat *open)
{
    struct stat there;
    return stat(name, &there) == 0 && there.st_dev == open->st_dev && there.st_ino == open->st_ino;
}

/* Opens the file and tries once to lock it. Makes a missing file, unless made is NULL. If the locked file was removed
 * or replaced meanwhile, returns 0 with *removed true and *fd -1: then the caller tries again. On failure *fd is -1.
 * @return 0, or a code with err */
static int try_lock(const char *name, bool *made, int *fd, bool *removed, struct weir_err *err)
{
    struct stat there;
    int code = 0;
    *removed = false;
    *fd = open_or_make(name, made);
    if (*fd < 0 && errno == ENOENT && made == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be read: %s", name, strerror(errno));
    if (*fd < 0)
        return lock_fail(name, errno, err);
    if (fstat(*fd, &there) != 0)
        code = lock_fail(name, errno, err);
    else if (!S_ISREG(there.st_mode))
        code = weir_fail(err, WEIR_E_FILE, NULL, "results need a file that can be read again",
                         "%s: is no ordinary file", name);
    else if (flock(*fd, LOCK_EX | LOCK_NB) != 0)
        code = errno != EWOULDBLOCK
                   ? lock_fail(name, errno, err)
                   : weir_fail(err, WEIR_E_BUSY, NULL, "one writer at a time: wait for it, or choose another file",
                               "%s: another program is writing to it", name);
    else
        *removed = !is_named(name, &there);
    if (made != NULL && (code == WEIR_E_BUSY || *removed))
        *made = false; /* by now another program has locked the file */
    if (code != 0 || *removed) {
        (void)close(*fd);
        *fd = -1;
    }
    return code;
}

int weir_store_lock(const char *name, bool *made, const struct weir_store_caller *caller, int *fd, struct weir_err *err)
{
    bool removed;
    int code;
    WEIR_ASSERT(name != NULL);
    WEIR_ASSERT(made == NULL || !*made);
    do
        code = try_lock(name, made, fd, &removed, err);
    while (removed ||
           (code == WEIR_E_BUSY && caller != NULL && caller->busy != NULL && caller->busy(caller->ctx, name)));
    WEIR_ASSERT((code == 0) == (*fd >= 0));
    return code;
}

bool weir_store_has_writer(const struct weir_store *store)
{
    WEIR_ASSERT(store->fd >= 0);
    if (flock(store->fd, LOCK_SH | LOCK_NB) != 0)
        return true; /* or the lock cannot be tested */
    (void)flock(store->fd, LOCK_UN);
    return false;
}

bool weir_store_is_empty(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode) && there.st_size == 0;
}

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

int weir_store_recognise(const char *name, int fd, bool may_be_empty, struct weir_err *err)
{
    static const char magic[] = "SQLite format 3"; /* and its NUL */
    unsigned char head[HEADER];
    WEIR_ASSERT(fd >= 0);
    ssize_t length = pread(fd, head, sizeof(head), 0);
    if (length < 0 && errno == ESPIPE)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: is no ordinary file", name);
    if (length < 0)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be read: %s", name, strerror(errno));
    if (length == 0 && may_be_empty)
        return 0;
    if (length < HEADER || memcmp(head, magic, sizeof(magic)) != 0)
        return weir_fail(err, WEIR_E_FILE, NULL, "weir run .. -o OUT.db writes result files",
                         "%s: is no result file: not SQLite", name);
    if (big_endian(head + APPLICATION_AT) != WEIR_STORE_APPLICATION_ID)
        return weir_fail(err, WEIR_E_FILE, NULL, "weir run .. -o OUT.db writes result files",
                         "%s: is no result file: a SQLite file of another program", name);
    if (big_endian(head + VERSION_AT) > WEIR_STORE_VERSION)
        return weir_fail(err, WEIR_E_FILE, NULL, "use the newer Weir",
                         "%s: was written by a newer Weir: version %u of the format, this one knows %d", name,
                         (unsigned)big_endian(head + VERSION_AT), WEIR_STORE_VERSION);
    return 0;
}

/* Tests the end of a rollback journal for the bytes of a transaction over several files. Such a journal names a file
 * that lists them, and SQLite removes the named file when it has undone the transaction. */
static bool names_another_file(int journal)
{
    static const unsigned char mark[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
    unsigned char end[sizeof(mark)];
    struct stat about;
    WEIR_ASSERT(journal >= 0);
    return fstat(journal, &about) == 0 && about.st_size >= (off_t)sizeof(end) &&
           pread(journal, end, sizeof(end), about.st_size - (off_t)sizeof(end)) == (ssize_t)sizeof(end) &&
           memcmp(end, mark, sizeof(mark)) == 0;
}

int weir_store_check_journal(const struct weir_store *store, struct weir_err *err)
{
    char path[4096 + sizeof("-journal")];
    int journal;
    bool refused;
    WEIR_ASSERT(store->path != NULL);
    (void)snprintf(path, sizeof(path), "%s-journal", store->path);
    journal = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW); /* as SQLite opens it */
    if (journal < 0)
        return 0; /* there is none, or SQLite cannot read it either */
    refused = names_another_file(journal);
    (void)close(journal);
    if (!refused)
        return 0;
    return weir_fail(err, WEIR_E_FILE, NULL, "remove the journal: weir never writes one that does so",
                     "%s: the journal beside it names another file, which would be removed", store->name);
}
