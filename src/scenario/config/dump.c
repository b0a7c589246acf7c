/* src/scenario/config/dump.c - see dump.h. The rows that the parser uses give the keys. */
#include "config/dump.h"
#include "config/features.h"
#include "config/keys.h"
#include "config/laws.h"
#include "config/names.h"
#include "core/feature.h"
#include "core/utf8.h"
#include "param/param.h"
#include <inttypes.h>
#include <string.h>

enum { PRINTED = WEIR_TEXT_MAX + 32 };

struct dump { /* state while the keys of one map are written */
    FILE *out;
    const char *indent, *first; /* text before each line; before the first line, as "- " */
    const uint32_t *kind;       /* kind of topology or traffic, whose keys alone are written; NULL = all keys are */
};

/* Writes a text in quotes and escaped, because a name may be any text, also "yes" or "3: 4". */
static void dump_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            (void)fprintf(out, "\\%c", *c);
        else if (weir_is_control(*c))
            (void)fprintf(out, "\\x%02x", (unsigned)*c);
        else
            (void)fputc(*c, out);
    }
    (void)fputc('"', out);
}

/* Tests whether weir_param_set() accepts the text of a value. A default outside the row's range stands for "not given"
 * and is not accepted. */
static bool is_said(const struct weir_param *row, const char *text)
{
    union {
        uint64_t number;
        struct weir_size size;
        char text[WEIR_TEXT_MAX];
    } scratch;
    struct weir_param probe = *row;
    struct weir_tok tok = { .text = text };
    struct weir_err ignored;
    probe.offset = 0;
    return weir_param_set(&probe, &tok, &scratch, &ignored) == 0;
}

/* Writes the bytes of a size as a YAML comment, if the size was given in BDP; likewise the time of round trips. */
static void dump_bytes(FILE *out, const struct weir_param *row, const void *config)
{
    struct weir_size size;
    if (row->kind != WEIR_KIND_BDP && row->kind != WEIR_KIND_RTT)
        return;
    memcpy(&size, (const char *)config + row->offset, sizeof(size));
    if (size.bdp_milli != 0)
        (void)fprintf(out, " # %" PRIu64 " %s", size.bytes, row->kind == WEIR_KIND_BDP ? "B" : "ps");
}

static void dump_row(struct dump *d, const struct weir_param *row, const void *config)
{
    char printed[PRINTED];
    const char *text = printed;
    if (d->kind != NULL && !weir_section_uses(row, *d->kind))
        return;
    if (row->kind == WEIR_KIND_TEXT)
        text = (const char *)config + row->offset; /* may be longer than any number */
    else
        weir_param_print(row, config, printed, sizeof(printed));
    if (text[0] == '\0' || !is_said(row, text))
        return;
    (void)fprintf(d->out, "%s%s: ", d->first, row->key);
    d->first = d->indent;
    if (row->kind == WEIR_KIND_TEXT)
        dump_text(d->out, text);
    else
        (void)fputs(text, d->out);
    dump_bytes(d->out, row, config);
    (void)fputc('\n', d->out);
}

static void dump_rows(struct dump *d, const struct weir_param *rows, const void *config)
{
    for (const struct weir_param *row = rows; row != NULL && row->key != NULL; row++)
        dump_row(d, row, config);
}

static void dump_section(FILE *out, const char *name, const struct weir_param *rows, const void *config)
{
    struct dump d = { .out = out, .indent = "  ", .first = "  " };
    (void)fprintf(out, "%s:\n", name);
    dump_rows(&d, rows, config);
}

static void dump_topology(FILE *out, const struct weir_scenario *scn)
{
    struct dump d = { .out = out, .indent = "  ", .first = "  ", .kind = &scn->topology.kind };
    (void)fputs("topology:\n", out);
    dump_rows(&d, weir_topology_params, &scn->topology);
}

static void dump_protocol(FILE *out, const struct weir_scenario *scn)
{
    struct dump d = { .out = out, .indent = "  ", .first = "  " };
    (void)fprintf(out, "protocol:\n  name: %s\n", scn->protocol->name);
    if (scn->preset != NULL)
        (void)fprintf(out, "  preset: %s\n", scn->preset->name);
    dump_rows(&d, scn->protocol->params, scn->protocol_config);
}

/* Writes a section inside `fabric`. */
static void dump_inner(FILE *out, const char *name, const struct weir_param *rows, const void *config)
{
    struct dump d = { .out = out, .indent = "    ", .first = "    " };
    (void)fprintf(out, "  %s:\n", name);
    dump_rows(&d, rows, config);
}

static void dump_list(FILE *out, const struct weir_feature_list *list, const void *config)
{
    const char *items = (const char *)config + list->offset;
    uint32_t count;
    memcpy(&count, (const char *)config + list->count_offset, sizeof(count));
    if (count > 0)
        (void)fprintf(out, "  %s:\n", list->key);
    for (uint32_t i = 0; i < count; i++) {
        struct dump item = { .out = out, .indent = "      ", .first = "    - " };
        dump_rows(&item, list->params, items + (size_t)i * list->bytes);
    }
}

/* Tests whether a feature whose key is a number or a list has a list: then the number is not written. */
static bool is_list(const struct weir_feature_keys *feature)
{
    uint32_t count = 0;
    if (weir_feature_list_or_number(feature->row))
        memcpy(&count, (const char *)feature->config + feature->row->list->count_offset, sizeof(count));
    return count > 0;
}

/* Writes the section of a feature. The section is left out if it would enable a feature that the scenario does not
 * set. */
static void dump_feature(FILE *out, const struct weir_feature_keys *feature)
{
    const struct weir_feature *row = feature->row;
    if (row->section != NULL && (feature->is_set || !row->section_enables))
        dump_inner(out, row->section, row->params, feature->config);
}

/* Writes the keys of all features. Keys of `fabric` itself come first: after a section they would belong to that
 * section. Lists come last. */
static void dump_features(FILE *out, const struct weir_scenario *scn)
{
    struct dump keys = { .out = out, .indent = "  ", .first = "  " };
    for (uint32_t i = 0; i < scn->feature_count; i++)
        if (scn->feature[i].row->section == NULL && scn->feature[i].config != NULL && !is_list(&scn->feature[i]))
            dump_rows(&keys, scn->feature[i].row->params, scn->feature[i].config);
    for (uint32_t i = 0; i < scn->feature_count; i++)
        dump_feature(out, &scn->feature[i]);
    for (uint32_t i = 0; i < scn->feature_count; i++)
        if (scn->feature[i].row->list != NULL)
            dump_list(out, scn->feature[i].row->list, scn->feature[i].config);
}

/* Writes the keys that an item of `fabric.switches` has of a feature. */
static void dump_part(struct dump *item, const struct weir_feature *row, const struct weir_switch_part *part)
{
    struct dump inner = { .out = item->out, .indent = "          ", .first = "          " };
    struct dump *d = row->section != NULL ? &inner : item;
    if (part->config == NULL)
        return;
    if (row->section != NULL)
        (void)fprintf(item->out, "%s%s:%s\n", item->indent, row->section, part->set == 0 ? " {}" : "");
    for (uint32_t i = 0; row->params[i].key != NULL; i++)
        if ((part->set >> i & 1) != 0)
            dump_row(d, &row->params[i], part->config);
}

/* Writes the list `fabric.switches`. Of each item its keys of `fabric` itself come first, as in dump_features(). */
static void dump_switches(FILE *out, const struct weir_scenario *scn)
{
    if (scn->switches_count > 0)
        (void)fputs("  switches:\n", out);
    for (uint32_t i = 0; i < scn->switches_count; i++) {
        const struct weir_switch_item *from = &scn->switches[i];
        struct dump item = { .out = out, .indent = "      ", .first = "    - " };
        for (const struct weir_param *row = weir_switch_item_params; row->key != NULL; row++)
            if (from->has_buffer || strcmp(row->key, "buffer") != 0)
                dump_row(&item, row, from);
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t f = 0; f < scn->feature_count; f++)
                if ((scn->feature[f].row->section != NULL) == (pass == 1))
                    dump_part(&item, scn->feature[f].row, &from->part[f]);
    }
}

static void dump_fabric(FILE *out, const struct weir_scenario *scn)
{
    dump_section(out, "fabric", weir_fabric_params, &scn->fabric);
    dump_inner(out, "routing", weir_routing_params, &scn->routing);
    dump_features(out, scn);
    dump_switches(out, scn);
}

/* Writes law k as keys of a map: the run's law by its host keys alone, which are then equal. Keys of the NIC are the
 * run's. indent: of the keys in its sections, two blanks more than that of the map's keys */
static void dump_law(FILE *out, const struct weir_scenario *scn, uint32_t k, const char *indent)
{
    const struct weir_law_keys *law = &scn->law[k];
    struct dump keys = { .out = out, .indent = indent, .first = indent };
    if (k != 0 && law->own_protocol) {
        (void)fprintf(out, "%sprotocol:\n%sname: %s\n", indent + 2, indent, law->protocol->name);
        if (law->preset != NULL)
            (void)fprintf(out, "%spreset: %s\n", indent, law->preset->name);
        dump_rows(&keys, law->protocol->params, law->config);
    }
    (void)fprintf(out, "%shost:\n", indent + 2);
    for (const struct weir_param *row = weir_host_param_rows; row->key != NULL; row++)
        if (!weir_keys_listed(weir_laws_of_the_nic, row->key))
            dump_row(&keys, row, k != 0 ? &law->host : &scn->host);
}

static void dump_deploy(FILE *out, const struct weir_scenario *scn, uint32_t item)
{
    struct dump keys = { .out = out, .indent = "      ", .first = "      " };
    if (scn->deploy[item].share_ppm == WEIR_SHARE_NONE)
        return;
    (void)fputs("    deploy:\n", out);
    dump_rows(&keys, weir_deploy_params, &scn->deploy[item]);
    dump_law(out, scn, scn->law_of_deploy[item], "        ");
}

static bool hosts_have_laws(const struct weir_scenario *scn)
{
    for (uint32_t i = 0; i < scn->hosts_count; i++)
        if (scn->law_of_hosts[i] != WEIR_LAW_NONE)
            return true;
    return false;
}

static void dump_traffic(FILE *out, const struct weir_scenario *scn)
{
    (void)fputs("traffic:\n", out);
    for (uint32_t i = 0; i < scn->traffic_count; i++) {
        struct dump item = { .out = out, .indent = "    ", .first = "  - ", .kind = &scn->traffic[i].kind };
        dump_rows(&item, weir_traffic_params, &scn->traffic[i]);
        if (scn->law_of_item[i] != 0 || (scn->own_law[i] && hosts_have_laws(scn)))
            dump_law(out, scn, scn->law_of_item[i], "      ");
        dump_deploy(out, scn, i);
    }
}

static void dump_hosts(FILE *out, const struct weir_scenario *scn)
{
    if (scn->hosts_count > 0)
        (void)fputs("hosts:\n", out);
    for (uint32_t i = 0; i < scn->hosts_count; i++) {
        struct dump item = { .out = out, .indent = "    ", .first = "  - " };
        dump_rows(&item, weir_host_item_params, &scn->hosts[i]);
        if (scn->law_of_hosts[i] != WEIR_LAW_NONE)
            dump_law(out, scn, scn->law_of_hosts[i], "      ");
    }
}

void weir_scenario_dump(FILE *out, const struct weir_scenario *scn)
{
    (void)fputs("name: ", out);
    dump_text(out, scn->name);
    (void)fputc('\n', out);
    dump_topology(out, scn);
    dump_section(out, "framing", weir_framing_params, &scn->framing);
    dump_protocol(out, scn);
    dump_section(out, "host", weir_host_param_rows, &scn->host);
    dump_hosts(out, scn);
    dump_fabric(out, scn);
    dump_traffic(out, scn);
    dump_section(out, "run", weir_run_params, &scn->run);
}
