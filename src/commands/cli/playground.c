/* src/commands/cli/playground.c - `weir playground`: one HTML file with the simulator in it, and scenarios to begin
 * with. */
#include "cli/cli.h"
#include "cli/report_cmd.h"
#include "config/input.h"
#include "core/assert.h"
#include "core/utf8.h"
#include "report/bundle.h"
#include "setup/setup.h"
#include "text/json.h"
#include "text/memory.h"
#include "text/options.h"
#include "text/outfile.h"
#include "text/stop.h"
#include "text/version.h"
#include "workload/text.h"
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX_BYTES = 1 << 20 }; /* of all scenarios and their files */

struct playground_args {
    const char **file; /* owned array of lent names */
    size_t file_count;
    const char *given_out; /* -o; NULL = not given */
    bool help;
};

struct data { /* what the page is given */
    struct weir_json json;
    size_t bytes; /* so far */
};

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct playground_args *args = ctx;
    (void)err;
    args->file[args->file_count++] = argument;
    return 0;
}

#define FIELD(field) (uint32_t) offsetof(struct playground_args, field)

static const struct weir_option rows[] = {
    { .name = "-o",
      .value = "the name of a file",
      .offset = FIELD(given_out),
      .hint = "weir playground net.yaml -o net.html" },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

/* Tests whether a text is UTF-8 without NUL, as JSON needs it. */
static bool is_plain(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t step;
    for (; *at != '\0'; at += step)
        if ((step = weir_utf8_length(at)) == 0)
            return false;
    return at == (const unsigned char *)text + length;
}

/* Reads a file as a member of the open object. path: of the file; key: how the page names it
 * @return 0, or a code with err */
static int put_file(struct data *data, const char *key, const char *path, struct weir_err *err)
{
    const char *why;
    size_t length;
    char *text = weir_input_read(path, false, TEXTS_MAX_BYTES, &length, &why);
    int code = 0;
    if (text == NULL && why == NULL)
        return weir_fail_memory(err);
    if (text == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be read: %s", path, why);
    data->bytes += length;
    if (data->bytes >= TEXTS_MAX_BYTES)
        code = weir_fail(err, WEIR_E_RANGE, NULL, "weir run runs it",
                         "%s: a page holds less than %d bytes of scenarios and their files", path, TEXTS_MAX_BYTES);
    else if (!is_plain(text, length))
        code =
            weir_fail(err, WEIR_E_SYNTAX, NULL, "weir run runs it", "%s: not a text, so a page cannot hold it", path);
    else
        weir_json_string(&data->json, key, text);
    free(text);
    return code;
}

/* Puts a file that the scenario names; nothing if the name is "", or that of a built-in distribution. */
static int put_named(struct data *data, const struct weir_scenario *scn, const char *name, bool may_be_built_in,
                     struct weir_err *err)
{
    char path[WEIR_TEXT_PATH_MAX];
    const char *why;
    FILE *there;
    if (name[0] == '\0' || !weir_text_path(name, scn->base_dir, path))
        return 0;
    there = weir_input_open(path, false, &why);
    if (there != NULL)
        (void)fclose(there);
    if (there == NULL && may_be_built_in)
        return 0;
    if (name[0] == '/' || strstr(name, "..") != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "put it next to the scenario",
                         "%s: a page holds only files below the folder of their scenario", name);
    return put_file(data, name, path, err);
}

/* Tests whether an earlier key than the file of traffic item number `item` names this file, too. */
static bool is_put(const struct weir_scenario *scn, uint32_t item, const char *name)
{
    bool found = strcmp(scn->topology.file, name) == 0;
    for (uint32_t i = 0; i < item && !found; i++)
        found = strcmp(scn->traffic[i].file, name) == 0 || strcmp(scn->traffic[i].sizes, name) == 0;
    return found;
}

/* Puts the files that a scenario names, once each. */
static int put_files(struct data *data, const struct weir_scenario *scn, struct weir_err *err)
{
    int code;
    weir_json_open(&data->json, "files");
    code = put_named(data, scn, scn->topology.file, false, err);
    for (uint32_t i = 0; i < scn->traffic_count && code == 0; i++) {
        const struct weir_traffic_config *item = &scn->traffic[i];
        if (!is_put(scn, i, item->file))
            code = put_named(data, scn, item->file, false, err);
        if (code == 0 && !is_put(scn, i, item->sizes) && strcmp(item->sizes, item->file) != 0)
            code = put_named(data, scn, item->sizes, true, err);
    }
    weir_json_close(&data->json);
    return code;
}

/* Puts a scenario, which has to be one that `weir run` runs. @return 0, or a code with err */
static int put_scenario(struct data *data, const char *path, struct weir_err *err)
{
    struct weir_scenario *scn = calloc(1, sizeof(*scn));
    struct weir_setup *setup = calloc(1, sizeof(*setup));
    bool is_read;
    int code;
    if (scn == NULL || setup == NULL) {
        free(setup);
        free(scn);
        return weir_fail_memory(err);
    }
    code = weir_scenario_load(scn, path, NULL, 0, err);
    is_read = code == 0;
    if (code == 0)
        code = weir_setup_init(setup, scn, err);
    if (code == 0) {
        const char *slash = strrchr(path, '/');
        weir_setup_free(setup);
        weir_json_open(&data->json, NULL);
        weir_json_string(&data->json, "name", slash != NULL ? slash + 1 : path);
        code = put_file(data, "text", path, err);
        if (code == 0)
            code = put_files(data, scn, err);
        weir_json_close(&data->json);
    }
    if (is_read)
        weir_scenario_free(scn);
    free(setup);
    free(scn);
    return code;
}

/* Writes the data of the page to `out`. @return 0, or a code with err */
static int put_data(FILE *out, const struct playground_args *args, struct weir_err *err)
{
    struct data data = { .json = weir_json_line(out) };
    int code = 0;
    weir_json_open(&data.json, NULL);
    weir_json_open_list(&data.json, "scenarios");
    for (size_t i = 0; i < args->file_count && code == 0; i++)
        code = put_scenario(&data, args->file[i], err);
    weir_json_close_list(&data.json);
    weir_json_close(&data.json);
    return code;
}

/* Makes the data of the page. *text: gets a text that the caller frees. @return 0, or a code with err */
static int make_data(char **text, const struct playground_args *args, struct weir_err *err)
{
    struct weir_memory memory;
    int code = weir_memory_open(&memory) != NULL ? put_data(memory.file, args, err) : 0;
    if (!weir_memory_close(&memory) && code == 0)
        code = weir_fail_memory(err);
    *text = memory.bytes;
    return code;
}

/* Writes the page, and says where it is. @return the exit status */
static int write_page(const struct weir_bundle *bundle, const char *json, const char *name)
{
    struct weir_outfile out = { 0 };
    struct weir_err err;
    bool to_stdout = strcmp(name, "-") == 0;
    int code = to_stdout ? 0 : weir_report_target(name, &err);
    weir_stop_install();
    if (code == 0 && !to_stdout)
        code = weir_outfile_open(&out, name, NULL, &err);
    if (code != 0)
        return weir_cli_refused(&err);
    weir_bundle_write(to_stdout ? stdout : out.file, bundle, json);
    if (!to_stdout && weir_outfile_commit(&out, &err) != 0) {
        weir_cli_error(&err);
        return WEIR_EXIT_FAILURE;
    }
    if (!to_stdout)
        (void)printf("%s: open it in a browser\n", name);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

static int playground(const struct playground_args *args)
{
    struct weir_bundle bundle = { 0 };
    struct weir_err err;
    char *json, *name = weir_report_page_name(args->given_out, args->file_count > 0 ? args->file[0] : "playground");
    int code, status;
    if (name == NULL) {
        (void)weir_fail_memory(&err);
        return weir_cli_refused(&err);
    }
    code = make_data(&json, args, &err);
    if (code == 0)
        code = weir_bundle_read(&bundle, &weir_bundle_playground, WEIR_DATA_DIR, &err);
    status = code != 0 ? weir_cli_refused(&err) : write_page(&bundle, json, name);
    weir_bundle_free(&bundle);
    free(json);
    free(name);
    return status;
}

int weir_cli_playground(int argc, char **argv)
{
    static const struct weir_options accepted = { .command = "playground", .option = { rows }, .argument = take_file };
    struct playground_args args = { .file = calloc((size_t)argc, sizeof(*args.file)) };
    struct weir_err err;
    int status;
    if (args.file == NULL) {
        (void)weir_fail_memory(&err);
        return weir_cli_refused(&err);
    }
    if (weir_options_parse(&accepted, argc, argv, &args, &err) != 0)
        status = weir_cli_refused(&err);
    else
        status = args.help ? weir_cli_show_usage("playground") : playground(&args);
    free(args.file);
    return status;
}
