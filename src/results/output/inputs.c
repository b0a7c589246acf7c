/* src/results/output/inputs.c - see inputs.h. */
#include "output/inputs.h"
#include "workload/text.h"
#include <stdlib.h>
#include <string.h>

/* Adds the path `name` followed by `more` to the list. what: the description of the file in error messages; lent.
 * Returns 0, or WEIR_E_MEMORY with err. */
static int add(struct weir_inputs *in, const char *name, const char *more, const char *what, struct weir_err *err)
{
    size_t size = strlen(name) + strlen(more) + 1;
    char *text = malloc(size);
    if (text == NULL)
        return weir_fail_memory(err);
    (void)snprintf(text, size, "%s%s", name, more);
    in->keep[in->count] = (struct weir_outfile_keep){ text, what };
    in->name[in->count++] = text;
    return 0;
}

/* Adds the path of a file that the scenario names. Adds nothing if name is "" (no file) or the path is too long. The
 * file need not exist, since `name` may be a built-in distribution. If a file has the name of a built-in distribution,
 * the run does not read that file, but no output may overwrite it either. */
static int add_of_item(struct weir_inputs *in, const struct weir_scenario *scn, const char *name, struct weir_err *err)
{
    char path[WEIR_TEXT_PATH_MAX];
    bool is_file = name[0] != '\0' && weir_text_path(name, scn->base_dir, path); /* false for too long a path */
    return is_file ? add(in, path, "", "a file of the scenario's", err) : 0;
}

int weir_inputs_init(struct weir_inputs *inputs, const char *file, const struct weir_scenario *scn, const char *result,
                     struct weir_err *err)
{
    static const char *const parts[] = { "", "-wal", "-shm" };
    *inputs = (struct weir_inputs){ .count = 0 };
    int code = add(inputs, file, "", "the scenario", err);
    for (size_t i = 0; i < 3 && code == 0 && result != NULL; i++)
        code = add(inputs, result, parts[i], i == 0 ? "the result file" : "a part of the result file", err);
    if (code == 0)
        code = add_of_item(inputs, scn, scn->topology.file, err);
    for (uint32_t i = 0; i < scn->traffic_count && code == 0; i++) {
        code = add_of_item(inputs, scn, scn->traffic[i].file, err);
        if (code == 0)
            code = add_of_item(inputs, scn, scn->traffic[i].sizes, err);
    }
    return code;
}

int weir_inputs_add(struct weir_inputs *inputs, const char *name, const char *what, struct weir_err *err)
{
    return add(inputs, name, "", what, err);
}

void weir_inputs_free(struct weir_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++)
        free(inputs->name[i]);
}
