/* src/commands/cli/report_figures.c - writes the figures of a report as files into a folder; see report_figures.h. */
#include "cli/report_figures.h"
#include "text/outfile.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* First characters of the files that weir_export_files() makes. */
static const char *const beginning[] = { "curve,", "<svg xmlns=" };

/* Tests whether a file may be replaced: it does not exist, is empty, or begins as a figure of a report. */
static bool is_ours(const char *path)
{
    char head[16] = "";
    struct stat there;
    FILE *file;
    size_t length;
    if (stat(path, &there) != 0)
        return true; /* opening the file for writing will report any other error */
    file = S_ISREG(there.st_mode) ? fopen(path, "r") : NULL;
    if (file == NULL)
        return false;
    length = fread(head, 1, sizeof(head) - 1, file);
    (void)fclose(file);
    for (size_t i = 0; i < sizeof(beginning) / sizeof(beginning[0]); i++)
        if (strncmp(head, beginning[i], strlen(beginning[i])) == 0)
            return true;
    return length == 0;
}

static int put_file(const char *path, const char *bytes, size_t size, struct weir_err *err)
{
    struct weir_outfile out = { 0 };
    int code;
    if (!is_ours(path))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "choose another folder, or remove it first",
                         "%s: is there and is no figure of a report: not overwritten", path);
    code = weir_outfile_open(&out, path, NULL, err);
    if (code != 0)
        return code;
    if (fwrite(bytes, 1, size, out.file) != size) {
        (void)weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be written: %s", path, strerror(errno));
        weir_outfile_abandon(&out);
        return WEIR_E_FILE;
    }
    return weir_outfile_commit(&out, err);
}

static int put_figure(void *ctx, const char *name, const char *bytes, size_t size, struct weir_err *err)
{
    const struct weir_figure_folder *folder = ctx;
    size_t length = strlen(folder->name) + strlen(name) + 2;
    char *path = malloc(length);
    int code;
    if (path == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the name of a file");
    (void)snprintf(path, length, "%s/%s", folder->name, name);
    code = put_file(path, bytes, size, err);
    free(path);
    return code;
}

int weir_figure_folder_open(struct weir_figure_folder *folder, const char *name, struct weir_err *err)
{
    struct stat there;
    *folder = (struct weir_figure_folder){ .name = name, .figures = { put_figure, folder } };
    if (mkdir(name, 0777) == 0 || (errno == EEXIST && stat(name, &there) == 0 && S_ISDIR(there.st_mode)))
        return 0;
    return weir_fail(err, WEIR_E_FILE, NULL, NULL, "--figures %s: %s", name,
                     errno == EEXIST ? "is there and is no folder" : strerror(errno));
}
