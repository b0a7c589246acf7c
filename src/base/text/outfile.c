/* src/base/text/outfile.c - see outfile.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "text/outfile.h"
#include "text/stop.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int outfile_fail(struct weir_outfile *out, const char *what, int number, struct weir_err *err)
{
    (void)weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: %s: %s", out->name, what, strerror(number));
    weir_outfile_abandon(out);
    return WEIR_E_FILE;
}

static char *temp_name(const char *path)
{
    size_t size = strlen(path) + 32;
    char *temp = malloc(size);
    if (temp != NULL)
        (void)snprintf(temp, size, "%s.part-%ld", path, (long)getpid());
    return temp;
}

/* Tests whether two results of stat() are of the same file. */
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns the entry of `keep` that names the same file as `there`, or an entry for standard output if stdout goes to
 * that file. NULL = the file may be overwritten. there: stat() of the file to be written */
static const struct weir_outfile_keep *find_kept(const struct stat *there, const struct weir_outfile_keep *keep)
{
    /* a report on stdout would be lost when the file is replaced */
    static const struct weir_outfile_keep output = { NULL, "standard output" };
    struct stat other;
    if (S_ISREG(there->st_mode) && fstat(STDOUT_FILENO, &other) == 0 && is_same(there, &other))
        return &output;
    for (; keep != NULL && keep->name != NULL; keep++)
        if (stat(keep->name, &other) == 0 && is_same(there, &other))
            return keep;
    return NULL;
}

/* Opens a new temporary file. O_EXCL: an existing file is never opened, and a link is not followed. there: stat() of
 * the file that will be replaced, whose permissions the new file gets; NULL = default permissions. @return 0, or a code
 * with err; if fdopen() fails, 0 with out->file NULL */
static int open_temp(struct weir_outfile *out, const struct stat *there, struct weir_err *err)
{
    int fd;
    out->temp = temp_name(out->path);
    if (out->temp == NULL)
        return outfile_fail(out, "cannot be written", ENOMEM, err);
    fd = open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        int number = errno;
        free(out->temp); /* not ours to remove */
        out->temp = NULL;
        return outfile_fail(out, number == EEXIST ? "is being written" : "cannot be written", number, err);
    }
    weir_stop_unlink(out->temp);
    if (there != NULL)
        (void)fchmod(fd, there->st_mode & 07777); /* some file systems cannot; that is no reason to lose results */
    out->file = fdopen(fd, "w");
    if (out->file == NULL)
        (void)close(fd);
    return 0;
}

int weir_outfile_open(struct weir_outfile *out, const char *name, const struct weir_outfile_keep *keep,
                      struct weir_err *err)
{
    const struct weir_outfile_keep *kept;
    struct stat there;
    bool exists = stat(name, &there) == 0, regular = !exists || S_ISREG(there.st_mode);
    int code = 0;
    *out = (struct weir_outfile){ .name = name };
    kept = exists ? find_kept(&there, keep) : NULL;
    if (kept != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s: is %s itself", name, kept->what);
    if (exists && S_ISDIR(there.st_mode))
        return outfile_fail(out, "cannot be written", EISDIR, err);
    if (exists && access(name, W_OK) != 0)
        return outfile_fail(out, "cannot be written", errno, err);
    out->path = exists && regular ? realpath(name, NULL) : strdup(name);
    if (out->path == NULL)
        return outfile_fail(out, "cannot be written", errno, err);
    if (regular)
        code = open_temp(out, exists ? &there : NULL, err);
    else
        out->file = fopen(out->path, "w");
    return code == 0 && out->file == NULL ? outfile_fail(out, "cannot be written", errno, err) : code;
}

/* Frees the names and clears *out. Called when the temporary file no longer exists. */
static void forget(struct weir_outfile *out)
{
    if (out->temp != NULL)
        weir_stop_keep(out->temp);
    free(out->temp);
    free(out->path);
    *out = (struct weir_outfile){ 0 };
}

/* Writes the content of the file to the disk. Called before the rename, so that after a power failure the final name
 * does not lead to an empty file. A file system without fsync() is no error. @return false = failed, with errno */
static bool sync_content(FILE *file)
{
    return fflush(file) == 0 && (fsync(fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP);
}

/* Writes the folder that contains path to the disk, after the rename. A failure is not reported: the file is complete
 * under its temporary or its final name. */
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    char *folder = length > 0 ? strndup(path, length) : strdup(".");
    int fd = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

int weir_outfile_commit(struct weir_outfile *out, struct weir_err *err)
{
    bool lost = ferror(out->file) != 0; /* an earlier write failed; its errno is unknown by now */
    int number = lost || out->temp == NULL || sync_content(out->file) ? 0 : errno;
    int closed = fclose(out->file);
    out->file = NULL;
    if (lost) {
        (void)weir_fail(err, WEIR_E_FILE, NULL, "the disk may be full, or the reader gone",
                        "%s: not all could be written", out->name);
        weir_outfile_abandon(out);
        return WEIR_E_FILE;
    }
    if (number != 0 || closed != 0)
        return outfile_fail(out, "not all could be written", number != 0 ? number : errno, err);
    if (out->temp != NULL && rename(out->temp, out->path) != 0)
        return outfile_fail(out, "cannot be put into its place", errno, err);
    if (out->temp != NULL)
        sync_folder(out->path);
    forget(out);
    return 0;
}

void weir_outfile_abandon(struct weir_outfile *out)
{
    if (out->file != NULL)
        (void)fclose(out->file);
    if (out->temp != NULL)
        (void)unlink(out->temp);
    forget(out);
}
