/* test/fuzz/fuzz_scenario.c - any bytes as a scenario. Up to the first NUL they are a --set, if there is one; the
 * rest is the file.
 * Whatever arrives is accepted, and then prints back, or is refused with a sentence and nothing left to free. */
#include "core/feature.h"
#include "param/param.h"
#include "config/scenario.h"
#include "core/assert.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(const struct weir_param *rows, const void *config)
{
    char text[512];
    for (; rows->key != NULL; rows++)
        weir_param_print(rows, config, text, sizeof(text));
}

static void print_feature(const struct weir_feature_keys *f)
{
    const struct weir_feature_list *list = f->row->list;
    uint32_t items = 0;
    if (f->config != NULL && f->row->params != NULL)
        print_all(f->row->params, f->config);
    if (list != NULL)
        memcpy(&items, (const char *)f->config + list->count_offset, sizeof(items));
    for (uint32_t i = 0; i < items; i++)
        print_all(list->params, (const char *)f->config + list->offset + (size_t)i * list->bytes);
}

static void use(struct weir_scenario *scn)
{
    struct weir_err err = { .code = WEIR_E_OK };
    if (weir_scenario_resolve(scn, &(struct weir_scenario_path){ 100000, 0 }, &err) != 0)
        WEIR_ASSERT(err.code == WEIR_E_RANGE && err.text[0] != '\0');
    print_all(weir_topology_params, &scn->topology);
    print_all(weir_framing_params, &scn->framing);
    print_all(weir_host_param_rows, &scn->host);
    print_all(scn->protocol->params, scn->protocol_config);
    print_all(weir_fabric_params, &scn->fabric);
    print_all(weir_routing_params, &scn->routing);
    for (uint32_t i = 0; i < scn->feature_count; i++)
        print_feature(&scn->feature[i]);
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        print_all(weir_traffic_params, &scn->traffic[i]);
    print_all(weir_run_params, &scn->run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    const char *text = nul != NULL ? (const char *)nul + 1 : (const char *)data;
    const struct weir_override set = { .text = (const char *)data };
    size_t length = nul != NULL ? size - (size_t)(nul + 1 - data) : size;
    static struct weir_scenario scn;
    struct weir_err err = { .code = WEIR_E_OK };
    int code = weir_scenario_parse(&scn, "dir/fuzz.yaml", text, length, &set, nul != NULL, &err);
    if (code == 0) {
        use(&scn);
        weir_scenario_free(&scn);
    } else {
        WEIR_ASSERT((int)err.code == code && err.text[0] != '\0');
        WEIR_ASSERT(scn.text == NULL && scn.base_dir == NULL && scn.strings == NULL);
    }
    return 0;
}
