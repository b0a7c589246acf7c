/* src/commands/cli/bisect_print.c - see bisect.h. */
#include "cli/bisect.h"
#include "core/units.h"
#include "text/format.h"
#include "text/json.h"
#include "text/print.h"
#include "text/schema.h"
#include "text/version.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the part of an event behind the name of its packet; NULL for NULL. */
static const char *behind_id(const char *event)
{
    const char *gap = event != NULL ? strstr(event, "  ") : NULL;
    return gap != NULL ? gap + 2 : event;
}

static void print_run(FILE *out, const char *name, const char *event, const char *packet)
{
    bool other = event != NULL && (strncmp(event, packet, strlen(packet)) != 0 || event[strlen(packet)] != ' ');
    (void)fputs("with ", out);
    weir_cli_text(out, name);
    (void)fputs(other ? ", another packet:\n  " : ":\n  ", out);
    weir_cli_text(out, event == NULL ? "no such event" : other ? event : behind_id(event));
    (void)fputc('\n', out);
}

void weir_bisected_print(FILE *out, const struct weir_bisected *f)
{
    if (f->at_ps == WEIR_NEVER) {
        (void)fprintf(out, "no packet differs: all %s events are equal\n", weir_format_grouped(f->events).text);
        return;
    }
    (void)fprintf(out, "%s events are equal; at %" PRIu64 " ps packet ", weir_format_grouped(f->events).text, f->at_ps);
    weir_cli_text(out, f->packet);
    (void)fputs(" is the first that differs\n", out);
    for (int which = 0; which < 2; which++)
        print_run(out, f->name[which], f->event[which], f->packet);
    (void)fputs("its path until then:\n", out);
    for (uint32_t i = 0; i < f->path_count; i++) {
        (void)fputs("  ", out);
        weir_cli_text(out, behind_id(f->path[i]));
        (void)fputc('\n', out);
    }
}

void weir_bisected_json(FILE *out, const struct weir_bisected *f)
{
    struct weir_json json = { .out = out };
    bool differs = f->at_ps != WEIR_NEVER;
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_bool(&json, "equal", !differs);
    weir_json_u64(&json, "equal_events", f->events);
    if (differs)
        weir_json_decimal(&json, "at_s", f->at_ps, 12);
    else
        weir_json_null(&json, "at_s");
    weir_json_string(&json, "packet", differs ? f->packet : NULL);
    weir_json_open_list(&json, "run");
    for (int which = 0; which < 2; which++) {
        weir_json_open(&json, NULL);
        weir_json_string(&json, "name", f->name[which]);
        weir_json_string(&json, "event", f->event[which]);
        weir_json_close(&json);
    }
    weir_json_close_list(&json);
    weir_json_open_list(&json, "path");
    for (uint32_t i = 0; i < f->path_count; i++)
        weir_json_string(&json, NULL, behind_id(f->path[i]));
    weir_json_close_list(&json);
    weir_json_close(&json);
}

void weir_bisect_schema(FILE *out)
{
    static const struct weir_schema run[] = {
        { .key = "name", .text = "what this run has that the other has not" },
        { .key = "event",
          .text = "what its packet did at that time, as weir run --digest-until prints it",
          .or_null = true },
        { .key = NULL },
    };
    static const struct weir_schema each_run = { .type = WEIR_SCHEMA_OBJECT, .fields = run };
    static const struct weir_schema each_event = { .type = WEIR_SCHEMA_STRING };
    static const struct weir_schema fields[] = {
        WEIR_FIELD("version", STRING),
        { .key = "equal", .text = "no packet differs", .type = WEIR_SCHEMA_BOOL },
        { .key = "equal_events", .text = "events before the first that differs", .type = WEIR_SCHEMA_INTEGER },
        { .key = "at_s", .text = "its time", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
        { .key = "packet", .text = "KIND:SRC:DST:CONN:SEQ", .or_null = true },
        { .key = "run", .type = WEIR_SCHEMA_LIST, .each = &each_run },
        { .key = "path", .text = "events of the packet until then", .type = WEIR_SCHEMA_LIST, .each = &each_event },
        { .key = NULL },
    };
    weir_schema_print(out, "bisect", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = fields });
}

void weir_bisected_free(struct weir_bisected *f)
{
    free(f->event[0]);
    free(f->event[1]);
    free(f->path_text);
    free(f->path);
    *f = (struct weir_bisected){ 0 };
}
