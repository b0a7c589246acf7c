/* src/results/reproduce/origin.c - see origin.h. */
#include "reproduce/origin.h"
#include "config/input.h"
#include "param/suggest.h"
#include "reproduce/embedded.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 1 << 20, HINT = 512, ID_BYTES = 64 };

static const char *embedded_text(const char *path)
{
    for (const struct weir_experiment_text *row = weir_experiment_texts; row->path != NULL; row++)
        if (strcmp(row->path, path) == 0)
            return row->text;
    return NULL;
}

const char *weir_origin_builtin(uint32_t *at, struct weir_tree_arena *arena)
{
    while (weir_experiment_texts[*at].path != NULL) {
        const char *path = weir_experiment_texts[(*at)++].path, *slash = strchr(path, '/');
        if (slash != NULL && strcmp(slash + 1, WEIR_EXPERIMENT_FILE) == 0)
            return weir_tree_arena_text(arena, path, (size_t)(slash - path));
    }
    return NULL;
}

const char *weir_origin_next(const struct weir_origin *origin, uint32_t *at)
{
    size_t length = strlen(origin->id);
    while (origin->dir == NULL && weir_experiment_texts[*at].path != NULL) {
        const char *path = weir_experiment_texts[(*at)++].path;
        if (strncmp(path, origin->id, length) == 0 && path[length] == '/')
            return path + length + 1;
    }
    return NULL;
}

const char *weir_origin_path(const struct weir_origin *origin, struct weir_tree_arena *arena, const char *file)
{
    const char *dir = origin->dir != NULL ? origin->dir : origin->id;
    size_t length = strlen(dir) + 1 + strlen(file);
    char *path;
    if (strcmp(dir, ".") == 0 || file[0] == '/')
        return file; /* there is no folder to add */
    path = weir_tree_arena_take(arena, length + 1);
    if (path != NULL)
        (void)snprintf(path, length + 1, "%s/%s", dir, file);
    return path;
}

static int fail_unknown(struct weir_tree_arena *arena, const char *name, struct weir_err *err)
{
    struct weir_suggest near;
    const char *known;
    char hint[HINT];
    size_t used;
    uint32_t at = 0;
    weir_suggest_init(&near, name);
    while ((known = weir_origin_builtin(&at, arena)) != NULL)
        weir_suggest_add(&near, known);
    weir_suggest_hint(&near, hint, sizeof(hint));
    used = strlen(hint);
    (void)snprintf(hint + used, sizeof(hint) - used, "%s(a folder of your own is written with a '/': ./mine)",
                   used > 0 ? " " : "");
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%.80s: no such experiment", name);
}

/* Splits the name of a folder: "a/b/" gives dir "a/b", id "b". */
static int find_folder(struct weir_origin *origin, struct weir_tree_arena *arena, const char *name,
                       struct weir_err *err)
{
    size_t length = strlen(name);
    const char *slash;
    while (length > 1 && name[length - 1] == '/')
        length--;
    origin->dir = weir_tree_arena_text(arena, name, length);
    if (origin->dir == NULL)
        return weir_fail_memory(err);
    slash = strrchr(origin->dir, '/');
    origin->id = slash != NULL ? slash + 1 : origin->dir;
    if (origin->id[0] == '\0' || origin->id[0] == '.')
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "the folder's name is what results call the experiment",
                         "%.80s: write the name of the folder", name);
    return 0;
}

int weir_origin_find(struct weir_origin *origin, struct weir_tree_arena *arena, const char *name, struct weir_err *err)
{
    const char *path;
    *origin = (struct weir_origin){ .id = name, .file = WEIR_EXPERIMENT_FILE };
    if (strchr(name, '/') != NULL)
        return find_folder(origin, arena, name, err);
    path = weir_origin_path(origin, arena, WEIR_EXPERIMENT_FILE);
    if (path == NULL)
        return weir_fail_memory(err);
    return embedded_text(path) != NULL ? 0 : fail_unknown(arena, name, err);
}

int weir_origin_of_file(struct weir_origin *origin, struct weir_tree_arena *arena, const char *path,
                        struct weir_err *err)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t stem = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    *origin = (struct weir_origin){ .file = name, .dir = "." };
    if (slash != NULL)
        origin->dir = weir_tree_arena_text(arena, path, slash > path ? (size_t)(slash - path) : 1);
    origin->id = weir_tree_arena_text(arena, name, stem);
    if (origin->dir == NULL || origin->id == NULL)
        return weir_fail_memory(err);
    if (stem == 0 || stem >= ID_BYTES || name[0] == '.')
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "the file's name is what results call the sweep",
                         "%.80s: write the name of a file, at most %d bytes before its ending", path, ID_BYTES - 1);
    return 0;
}

static int read_file(struct weir_tree_arena *arena, const char *path, const struct weir_tok *tok, const char *hint,
                     const char **text, struct weir_err *err)
{
    const char *why;
    size_t length;
    char *content = weir_input_read(path, false, FILE_MAX_BYTES, &length, &why); /* may be read more than once */
    const struct weir_tok file = { .file = path };
    int code = 0;
    if (content == NULL && why == NULL)
        return weir_fail_memory(err);
    if (content == NULL && tok == NULL)
        return weir_fail(err, WEIR_E_FILE, &file, hint, "cannot be read: %s", why);
    if (content == NULL)
        return weir_fail(err, WEIR_E_FILE, tok, hint, "%.200s: cannot be read: %s", path, why);
    if (length > FILE_MAX_BYTES)
        code = weir_fail(err, WEIR_E_FILE, &file, NULL, "more than 1 MiB");
    else if ((*text = weir_tree_arena_text(arena, content, length)) == NULL)
        code = weir_fail_memory(err);
    free(content);
    return code;
}

int weir_origin_read(const struct weir_origin *origin, struct weir_tree_arena *arena, const char *file,
                     const struct weir_tok *tok, const char **text, struct weir_err *err)
{
    const char *path = weir_origin_path(origin, arena, file), *hint = NULL;
    if (path == NULL)
        return weir_fail_memory(err);
    if (strcmp(file, WEIR_EXPERIMENT_FILE) == 0)
        hint =
            "an experiment is a folder with an " WEIR_EXPERIMENT_FILE "; without a '/' it is one that comes with weir";
    if (origin->dir != NULL)
        return read_file(arena, path, tok, hint, text, err);
    *text = embedded_text(path);
    if (*text == NULL)
        return weir_fail(err, WEIR_E_FILE, tok, NULL, "%.200s: no such file in this program", path);
    return 0;
}
