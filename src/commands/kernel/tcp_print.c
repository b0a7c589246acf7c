/* src/commands/kernel/tcp_print.c - prints laws of the kernel's TCP. */
#include "kernel/tcp.h"
#include "param/param.h"
#include "registry.h"
#include "text/format.h"
#include "text/schema.h"
#include <stdio.h>
#include <string.h>

static void put_line(const char *name, const char *text)
{
    (void)printf("%-11s %s\n", name, text);
}

/* Prints the keys of a law, four in a line. */
static void put_keys(const struct weir_law_loaded *loaded)
{
    const struct weir_param *row = loaded->protocol->params;
    for (uint32_t i = 0; row->key != NULL; row++, i++) {
        char value[WEIR_TEXT_MAX];
        weir_param_print(row, loaded->keys.config, value, sizeof(value));
        (void)printf("%s%s: %s", i == 0 ? "keys        " : i % 4 == 0 ? ",\n            " : ", ", row->key, value);
    }
    (void)printf("\n");
}

static void put_law(const struct weir_law_loaded *loaded)
{
    put_line("law", loaded->name);
    (void)printf("port        %s\n", weir_format_bps(loaded->keys.rate_bps).text);
    put_keys(loaded);
}

void weir_tcp_print_loaded(const struct weir_law_loaded *loaded, const struct weir_law_options *options)
{
    put_law(loaded);
    if (loaded->was_loaded)
        put_line("note", "it was loaded: it has these keys now, and its flows begin anew");
    if (options->port_bps == 0)
        put_line("note", "without --port its constants are for the links of its paper, 100 Gbps");
    if (loaded->has_option)
        put_line("note", "switches must raise the delay in its option; else load it with --by-rtt");
    (void)printf("to use it   TCP_CONGESTION \"%s\", iperf3 -C %s, or for all sockets of a namespace\n"
                 "            sysctl -w net.ipv4.tcp_congestion_control=%s\n",
                 loaded->name, loaded->name, loaded->name);
}

static void put_count(const char *name, uint64_t count, const char *text)
{
    (void)printf("%-11s %s %s\n", name, weir_format_grouped(count).text, text);
}

void weir_tcp_print_status(const struct weir_law_loaded *loaded)
{
    const struct weir_tcp_counts *c = &loaded->counts;
    put_law(loaded);
    (void)printf("build       %s\n", loaded->keys.build);
    put_count("flows", c->flows, "sockets began");
    put_count("ACKs", c->acks, "calls of the law");
    put_count("losses", c->losses, "recoveries and timeouts");
    if (!loaded->has_option)
        return;
    put_count("options", c->written, "sent");
    put_count("", c->parsed, "received");
    put_count("", c->foreign, "received that are not ours");
    put_count("delays", c->raised, "ACKs with a delay from a switch");
    put_count("", c->saturated, "with the longest that the option holds");
    put_count("", c->unheard, "from receivers that send no option: by round trip");
    if (c->acks > 0 && c->raised == 0 && loaded->keys.by_rtt == 0)
        (void)printf("note        no switch has raised the option\n");
}

#define COUNT(field) WEIR_COUNTED(struct weir_tcp_counts, field)
static const struct weir_counter_row counters[] = { COUNT(flows),   COUNT(acks),       COUNT(losses),  COUNT(written),
                                                    COUNT(parsed),  COUNT(foreign),    COUNT(raised),  COUNT(saturated),
                                                    COUNT(unheard), COUNT(unrecorded), COUNT(unlogged) };
enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

static void put_law_json(struct weir_json *json, const struct weir_law_loaded *loaded)
{
    weir_json_open(json, NULL);
    weir_json_string(json, "law", loaded->name);
    weir_json_u64(json, "port_bps", loaded->keys.rate_bps);
    weir_json_string(json, "build", loaded->keys.build);
    weir_json_bool(json, "option", loaded->has_option);
    weir_json_bool(json, "by_rtt", loaded->keys.by_rtt != 0);
    weir_json_open(json, "keys");
    for (const struct weir_param *row = loaded->protocol->params; row->key != NULL; row++) {
        char value[WEIR_TEXT_MAX];
        weir_param_print(row, loaded->keys.config, value, sizeof(value));
        weir_json_string(json, row->key, value);
    }
    weir_json_close(json);
    weir_json_counters(json, counters, COUNTERS, &loaded->counts);
    weir_json_close(json);
}

void weir_tcp_print_json(FILE *out, const struct weir_law_loaded *loaded, uint32_t count)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_open_list(&json, "laws");
    for (uint32_t i = 0; i < count; i++)
        put_law_json(&json, &loaded[i]);
    weir_json_close_list(&json);
    weir_json_close(&json);
}

static const struct weir_schema key_text = { .type = WEIR_SCHEMA_STRING };
static const struct weir_schema law_fields[] = {
    { .key = "law", .text = "its name for TCP_CONGESTION" },
    { .key = "port_bps", .text = "for which its keys are", .type = WEIR_SCHEMA_INTEGER },
    { .key = "build", .text = "version and commit that loaded it" },
    { .key = "option", .text = "whether it has a TCP option", .type = WEIR_SCHEMA_BOOL },
    WEIR_FIELD("by_rtt", BOOL),
    { .key = "keys", .text = "as in a scenario", .type = WEIR_SCHEMA_OBJECT, .each = &key_text },
};
enum { LAW_FIELDS = sizeof(law_fields) / sizeof(law_fields[0]) };

void weir_tcp_schema(FILE *out)
{
    struct weir_schema fields[LAW_FIELDS + COUNTERS + 1];
    const struct weir_schema law_row = { .type = WEIR_SCHEMA_OBJECT, .fields = fields };
    const struct weir_schema status[] = {
        { .key = "laws", .type = WEIR_SCHEMA_LIST, .each = &law_row },
        { .key = NULL },
    };
    memcpy(fields, law_fields, sizeof(law_fields));
    weir_schema_counters(fields + LAW_FIELDS, counters, COUNTERS);
    weir_schema_print(out, "tcp status", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = status });
}
