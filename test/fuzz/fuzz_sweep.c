/* test/fuzz/fuzz_sweep.c - any bytes as a sweep or an experiment, and their points. It is accepted, and every point then has a name, a
 * scenario and settings as --set takes them; or it is refused with a sentence. */
#define _GNU_SOURCE 1 /* memfd_create(), memmem() */
#include "core/assert.h"
#include "reproduce/experiment_load.h"
#include "reproduce/plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_file(const uint8_t *data, size_t size, char *path, size_t path_bytes)
{
    static int file = -1;
    if (file < 0)
        file = memfd_create("fuzz", 0);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        abort();
    (void)snprintf(path, path_bytes, "/proc/self/fd/%d", file);
}

static void check_point(const struct weir_plan *plan, uint32_t i)
{
    const struct weir_point *p = &plan->point[i];
    WEIR_ASSERT(p->number == i + 1);
    WEIR_ASSERT(p->scenario != NULL && p->name != NULL && strchr(p->name, '/') == NULL);
    WEIR_ASSERT(p->set_count <= WEIR_POINT_SETTINGS_MAX);
    for (uint32_t s = 0; s < p->set_count; s++)
        WEIR_ASSERT(strchr(p->set[s].text, '=') != NULL);
    for (uint32_t a = 0; a < plan->exp->axis_count; a++)
        WEIR_ASSERT(p->value[a] == WEIR_AXIS_NONE || p->value[a] < plan->exp->axis[a].count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct weir_plan_request request = { .scale_ppm = 200000 };
    struct weir_experiment exp;
    struct weir_plan plan;
    struct weir_err err = { .code = WEIR_E_OK };
    char path[64];
    int code;
    if (memmem(data, size, "published", 9) != NULL)
        return 0; /* names a file, which would be read */
    write_file(data, size, path, sizeof(path));
    code = weir_experiment_load_file(&exp, path, &err);
    if (code == 0) {
        WEIR_ASSERT(exp.figure_count > 0 && exp.axis_count <= WEIR_AXES_MAX);
        code = weir_plan_make(&plan, &exp, &request, &err);
        for (uint32_t i = 0; code == 0 && i < plan.point_count; i++)
            check_point(&plan, i);
        weir_experiment_free(&exp);
    }
    WEIR_ASSERT(code == 0 || ((int)err.code == code && err.text[0] != '\0'));
    return 0;
}
