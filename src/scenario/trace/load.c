/* src/scenario/trace/load.c - recognises traces, and reads those that traffic items name. */
#include "core/assert.h"
#include "core/math.h"
#include "core/utf8.h"
#include "trace/chakra.h"
#include "workload/plan.h"
#include "workload/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const form_names[] = {
    [WEIR_TRACE_UNKNOWN] = "no trace that is known here",
    [WEIR_TRACE_GOAL] = "a GOAL schedule",
    [WEIR_TRACE_GOAL_BINARY] = "a GOAL schedule in binary form",
    [WEIR_TRACE_CHAKRA] = "a Chakra trace",
    [WEIR_TRACE_CHAKRA_JSON] = "a Chakra trace in JSON",
    [WEIR_TRACE_SIMAI] = "a workload of SimAI",
    [WEIR_TRACE_GZIP] = "compressed by gzip",
};

uint64_t weir_trace_time_ps(uint64_t value, uint64_t ps)
{
    return value > UINT64_MAX / ps ? UINT64_MAX : value * ps;
}

int weir_trace_check_ranks(const struct trace_reader *r, uint64_t ranks, uint32_t line)
{
    struct weir_tok tok = { .file = r->file, .line = line };
    if (ranks <= r->hosts)
        return 0;
    return weir_fail(r->err, WEIR_E_RANGE, &tok, "each rank is at a host of its own: use a larger topology",
                     "the trace has %" PRIu64 " ranks, and the topology has %" PRIu32 " hosts", ranks, r->hosts);
}

int weir_trace_check_nic(const struct trace_reader *r, uint64_t nic, const struct weir_tok *where)
{
    if (nic == 0 || r->layout == WEIR_GOAL_LAYOUT_NODE)
        return 0;
    if (r->layout == WEIR_GOAL_LAYOUT_GPU)
        return weir_fail(r->err, WEIR_E_CONFLICT, where, "goal_layout: node, if its ranks are nodes with several NICs",
                         "nic %" PRIu64 ": with goal_layout: gpu a rank has one NIC, number 0", nic);
    return weir_fail(r->err, WEIR_E_CONFLICT, where,
                     "goal_layout: node, if a rank is a node whose GPUs have NICs of their own; they share the host's "
                     "link here",
                     "nic %" PRIu64 ": the file does not say whether its ranks are nodes or GPUs; the scenario has to",
                     nic);
}

int weir_trace_add(struct trace_reader *r, struct weir_rank_node *node)
{
    WEIR_ASSERT(r->ranks->ranks > 0);
    if (node->op == WEIR_RANK_SEND && node->bytes == 0) {
        node->bytes = 1;
        r->note.empty++;
    }
    return weir_ranks_add(r->ranks, node, r->err);
}

/* --- recognition --- */

/* Tests whether a text begins as a GOAL schedule, behind blanks and comments. */
static bool begins_goal(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (strncmp(text, "//", 2) == 0) {
            text += strcspn(text, "\n");
        } else if (strncmp(text, "/*", 2) == 0) {
            const char *end = strstr(text + 2, "*/");
            if (end == NULL)
                return false;
            text = end + 2;
        } else {
            return strncmp(text, "num_ranks", 9) == 0;
        }
    }
}

enum weir_trace_form weir_trace_form_of(const char *bytes, size_t length)
{
    static const char magic[8] = { 0x7f, 0x10 }; /* 4223, little-endian */
    const char *text = weir_utf8_text(bytes), *first = text + strspn(text, " \t\r\n");
    WEIR_ASSERT(bytes[length] == '\0');
    if (length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0)
        return WEIR_TRACE_GZIP;
    if (length >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0)
        return WEIR_TRACE_GOAL_BINARY;
    if (begins_goal(text))
        return WEIR_TRACE_GOAL;
    if (weir_trace_is_simai(text))
        return WEIR_TRACE_SIMAI;
    if (*first == '{' || *first == '[')
        return WEIR_TRACE_CHAKRA_JSON;
    return weir_trace_is_chakra(bytes, length) ? WEIR_TRACE_CHAKRA : WEIR_TRACE_UNKNOWN;
}

/* Returns the kind of traffic that reads a form; the number of no kind if none does. */
static uint32_t kind_of(enum weir_trace_form form)
{
    static const uint32_t kind[] = {
        [WEIR_TRACE_UNKNOWN] = UINT32_MAX,
        [WEIR_TRACE_GOAL] = WEIR_TRAFFIC_GOAL,
        [WEIR_TRACE_GOAL_BINARY] = WEIR_TRAFFIC_GOAL,
        [WEIR_TRACE_CHAKRA] = WEIR_TRAFFIC_CHAKRA,
        [WEIR_TRACE_CHAKRA_JSON] = WEIR_TRAFFIC_CHAKRA,
        [WEIR_TRACE_SIMAI] = WEIR_TRAFFIC_SIMAI,
        [WEIR_TRACE_GZIP] = UINT32_MAX,
    };
    WEIR_ASSERT(form <= WEIR_TRACE_GZIP);
    return kind[form];
}

int weir_trace_check_form(const struct trace_reader *r, enum weir_trace_form form, uint32_t kind)
{
    struct weir_tok tok = { .file = r->file };
    uint32_t reads = kind_of(form);
    char hint[64] = "";
    if (reads == kind)
        return 0;
    if (form == WEIR_TRACE_GZIP)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, "gunzip writes the file that is read here", "this is %s",
                         form_names[form]);
    if (reads != UINT32_MAX)
        (void)snprintf(hint, sizeof(hint), "kind: %s reads it", weir_traffic_kinds[reads]);
    return weir_fail(r->err, WEIR_E_SYNTAX, &tok, reads != UINT32_MAX ? hint : "doc/traces.md has what is read",
                     "this is %s, and the item is of kind %s", form_names[form], weir_traffic_kinds[kind]);
}

/* --- reading --- */

/* Reads a trace that is one file. */
static int load_file(struct trace_reader *r, uint32_t kind, const char *base_dir)
{
    enum weir_trace_form form;
    char *bytes;
    int code = weir_text_bytes(r->file, base_dir, &bytes, &r->length, r->err);
    if (code != 0)
        return code;
    r->bytes = bytes;
    form = weir_trace_form_of(bytes, r->length);
    code = weir_trace_check_form(r, form, kind);
    if (code == 0)
        code = form == WEIR_TRACE_GOAL          ? weir_trace_goal(r)
               : form == WEIR_TRACE_GOAL_BINARY ? weir_trace_goal_binary(r)
                                                : weir_trace_simai(r);
    free(bytes);
    return code;
}

/* Sets the file of an error that has none. @return code, unchanged */
static int name_file(const struct trace_reader *r, int code)
{
    if (code != 0 && r->err->file[0] == '\0')
        (void)snprintf(r->err->file, sizeof(r->err->file), "%s", r->file);
    return code;
}

int weir_trace_load(struct weir_ranks *ranks, const struct weir_traffic_config *item,
                    const struct weir_workload_limits *limits, struct weir_list_note *note, struct weir_err *err)
{
    struct trace_reader r = {
        .ranks = ranks, .file = item->file, .layout = item->goal_layout, .hosts = limits->hosts, .err = err
    };
    int code;
    WEIR_ASSERT(weir_traffic_is_trace(item->kind));
    *ranks = (struct weir_ranks){ 0 };
    if (item->file[0] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, NULL, NULL, "file is missing: an item of kind %s needs it",
                         weir_traffic_kinds[item->kind]);
    code = item->kind == WEIR_TRAFFIC_CHAKRA ? weir_trace_chakra(&r, item, limits->base_dir)
                                             : load_file(&r, item->kind, limits->base_dir);
    if (code == 0)
        code = weir_ranks_finish(ranks, err);
    code = name_file(&r, code);
    if (code != 0)
        weir_ranks_free(ranks);
    else if (note != NULL)
        *note = r.note;
    return code;
}
