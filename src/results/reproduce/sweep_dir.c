/* src/results/reproduce/sweep_dir.c - see sweep_dir.h. */
#include "reproduce/sweep_dir.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_PATH = WEIR_SWEEP_DIR_MAX + 256, SIGNALS = 3 };

static const int ending[SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

static void block_signals(struct weir_sweep_dir *dir)
{
    struct sigaction was, usual = { .sa_handler = SIG_DFL };
    (void)sigemptyset(&usual.sa_mask);
    (void)sigaction(SIGCHLD, &usual, NULL); /* with SIGCHLD ignored, children would leave no exit status */
    (void)sigemptyset(&dir->awaited);
    (void)sigaddset(&dir->awaited, SIGCHLD);
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(ending[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            (void)sigaddset(&dir->awaited, ending[i]);
    (void)sigprocmask(SIG_BLOCK, &dir->awaited, &dir->outside);
}

static int make_folder(struct weir_sweep_dir *dir, struct weir_err *err)
{
    const char *base = getenv("TMPDIR");
    int length =
        snprintf(dir->path, sizeof(dir->path), "%s/weir-XXXXXX", base != NULL && base[0] != '\0' ? base : "/tmp");
    if (length >= (int)sizeof(dir->path))
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "TMPDIR: the path is too long");
    if (mkdtemp(dir->path) == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, "TMPDIR names the folder for temporary files",
                         "no temporary folder can be made: %s", strerror(errno));
    return 0;
}

static int write_file(const char *path, const char *text, struct weir_err *err)
{
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fputs(text, file) >= 0;
    if (file != NULL && fclose(file) != 0)
        written = false;
    if (written)
        return 0;
    return weir_fail(err, WEIR_E_FILE, &(struct weir_tok){ .file = path }, NULL, "cannot be written: %s",
                     strerror(errno));
}

/* Writes the files of an experiment that is in the binary into the folder. Does nothing for a folder of the user. */
static int write_files(const struct weir_sweep_dir *dir, struct weir_tree_arena *arena, struct weir_err *err)
{
    char path[FILE_PATH];
    const char *name, *text;
    uint32_t at = 0;
    int code = 0;
    while (code == 0 && (name = weir_origin_next(dir->origin, &at)) != NULL) {
        (void)snprintf(path, sizeof(path), "%s/%s", dir->path, name);
        code = weir_origin_read(dir->origin, arena, name, NULL, &text, err);
        if (code == 0)
            code = write_file(path, text, err);
    }
    return code;
}

int weir_sweep_dir_open(struct weir_sweep_dir *dir, const struct weir_origin *origin, struct weir_tree_arena *arena,
                        struct weir_err *err)
{
    int code;
    *dir = (struct weir_sweep_dir){ .origin = origin };
    block_signals(dir);
    code = make_folder(dir, err);
    if (code != 0) {
        (void)sigprocmask(SIG_SETMASK, &dir->outside, NULL);
        return code;
    }
    dir->is_open = true;
    dir->base = origin->dir != NULL ? origin->dir : dir->path;
    code = write_files(dir, arena, err);
    if (code != 0)
        weir_sweep_dir_close(dir);
    return code;
}

void weir_sweep_dir_file(const struct weir_sweep_dir *dir, const char *file, char *out, size_t size)
{
    bool is_absolute = file[0] == '/';
    (void)snprintf(out, size, "%s%s%s", is_absolute ? "" : dir->base, is_absolute ? "" : "/", file);
}

int weir_sweep_dir_signal(const struct weir_sweep_dir *dir)
{
    sigset_t pending;
    if (!dir->is_open || sigpending(&pending) != 0)
        return 0;
    for (int i = 0; i < SIGNALS; i++)
        if (sigismember(&pending, ending[i]) == 1 && sigismember(&dir->awaited, ending[i]) == 1)
            return ending[i];
    return 0;
}

void weir_sweep_dir_close(struct weir_sweep_dir *dir)
{
    char path[FILE_PATH];
    const char *name;
    uint32_t at = 0;
    if (!dir->is_open)
        return;
    while ((name = weir_origin_next(dir->origin, &at)) != NULL) {
        (void)snprintf(path, sizeof(path), "%s/%s", dir->path, name);
        (void)unlink(path);
    }
    (void)rmdir(dir->path);
    dir->is_open = false;
    (void)sigprocmask(SIG_SETMASK, &dir->outside, NULL);
}
