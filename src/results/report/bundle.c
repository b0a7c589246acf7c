/* src/results/report/bundle.c - see bundle.h. */
#include "report/bundle.h"
#include "core/assert.h"
#include "report/html.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA_BEGIN "<script type=\"application/json\" id=\"weir-data\">"
#define DATA_NONE "null"

enum { BUNDLE_MAX_BYTES = 1 << 24 };

/* Writes the name of a file that begins at the folder of the program. @return false = that is not known, or too long */
static bool name_near(const char *near, const char *name, char path[WEIR_BUNDLE_PATH])
{
    size_t length = strlen(near) + strlen(name);
    ssize_t n = readlink("/proc/self/exe", path, WEIR_BUNDLE_PATH - length - 1);
    WEIR_ASSERT(length < WEIR_BUNDLE_PATH / 2);
    while (n > 0 && path[n - 1] != '/')
        n--;
    if (n > 0)
        (void)snprintf(path + n, WEIR_BUNDLE_PATH - (size_t)n, "%s%s", near, name);
    return n > 0;
}

bool weir_bundle_find(const char *name, const char *folder, char path[WEIR_BUNDLE_PATH])
{
    static const char *const near[] = { "web/", "../web/" }; /* of build/weir, and of build/plain/weir */
    WEIR_ASSERT(strlen(folder) + strlen(name) < WEIR_BUNDLE_PATH / 2);
    for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++)
        if (name_near(near[i], name, path) && access(path, R_OK) == 0)
            return true;
    (void)snprintf(path, WEIR_BUNDLE_PATH, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

/* Finds where the data stands. @return 0, or WEIR_E_FILE with err: it is no page of this kind */
static int find_data(struct weir_bundle *bundle, const char *name, struct weir_err *err)
{
    const char *begin = strstr(bundle->text, DATA_BEGIN);
    bundle->data_at = begin != NULL ? (size_t)(begin - bundle->text) + strlen(DATA_BEGIN) : 0;
    if (begin != NULL && strncmp(bundle->text + bundle->data_at, DATA_NONE, strlen(DATA_NONE)) == 0)
        return 0;
    return weir_fail(err, WEIR_E_FILE, NULL, "./dev web builds it anew",
                     "the page %s is of another version of weir, or was cut", name);
}

const struct weir_bundle_kind weir_bundle_playground = { "weir-web.html", "page with the simulator in it" };
const struct weir_bundle_kind weir_bundle_watch = { "weir-watch.html", "page of a run that goes on" };
const struct weir_bundle_kind weir_bundle_report = { "weir-report.html", "interactive report" };

int weir_bundle_read(struct weir_bundle *bundle, const struct weir_bundle_kind *kind, const char *folder,
                     struct weir_err *err)
{
    char path[WEIR_BUNDLE_PATH];
    FILE *file = weir_bundle_find(kind->name, folder, path) ? fopen(path, "rb") : NULL;
    int code;
    *bundle = (struct weir_bundle){ 0 };
    if (file == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, "./dev web builds it, and the package weir has it",
                         "this build of weir has no %s", kind->what);
    bundle->text = malloc(BUNDLE_MAX_BYTES);
    if (bundle->text == NULL) {
        (void)fclose(file);
        return weir_fail_memory(err);
    }
    bundle->length = fread(bundle->text, 1, BUNDLE_MAX_BYTES - 1, file);
    bundle->text[bundle->length] = '\0';
    (void)fclose(file);
    code = find_data(bundle, kind->name, err);
    if (code != 0)
        weir_bundle_free(bundle);
    return code;
}

void weir_bundle_free(struct weir_bundle *bundle)
{
    free(bundle->text);
    *bundle = (struct weir_bundle){ 0 };
}

void weir_bundle_write(FILE *out, const struct weir_bundle *bundle, const char *json)
{
    size_t after = bundle->data_at + strlen(DATA_NONE);
    WEIR_ASSERT(bundle->text != NULL && after <= bundle->length);
    (void)fwrite(bundle->text, 1, bundle->data_at, out);
    weir_html_json(out, json);
    (void)fwrite(bundle->text + after, 1, bundle->length - after, out);
}
