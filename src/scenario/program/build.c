/* src/scenario/program/build.c - builds the programs of a scenario: see program.h. */
#include "program/program.h"
#include "core/assert.h"
#include "program/collective.h"
#include <stdio.h>
#include <string.h>

/* Sets the position of an error to that of an item, if it has none. @return code */
static int blame_item(int code, const struct weir_tok *where, struct weir_err *err)
{
    if (code == 0 || where == NULL || where->file == NULL || err->file[0] != '\0')
        return code;
    (void)snprintf(err->file, sizeof(err->file), "%s", where->file);
    err->line = where->line;
    err->col = where->col;
    return code;
}

int weir_programs_build(struct weir_programs *programs, const struct weir_traffic_config *item, uint32_t item_count,
                        uint32_t hosts, uint64_t seed, const struct weir_tok *where, struct weir_err *err)
{
    int code = 0;
    WEIR_ASSERT(item_count <= WEIR_TRAFFIC_MAX);
    *programs = (struct weir_programs){ .hosts = hosts };
    for (uint32_t i = 0; i < item_count && code == 0; i++) {
        struct weir_program *program = &programs->program[programs->count];
        if (item[i].kind != WEIR_TRAFFIC_COLLECTIVE)
            continue;
        err->file[0] = '\0';
        code = blame_item(weir_collective_build(program, &item[i], i, hosts, seed, err),
                          where != NULL ? &where[i] : NULL, err);
        if (code != 0)
            break;
        programs->of_item[i] = (uint8_t)programs->count++;
        programs->messages += program->messages;
    }
    if (code != 0)
        weir_programs_free(programs);
    return code;
}

void weir_programs_free(struct weir_programs *programs)
{
    for (uint32_t p = 0; p < programs->count; p++)
        weir_collective_free(&programs->program[p]);
    *programs = (struct weir_programs){ 0 };
}

uint64_t weir_program_size(const struct weir_program *program, uint32_t n)
{
    const struct weir_collective *c = program->what;
    return c->algorithm->size(c, n);
}

bool weir_program_note(const struct weir_program *program, char *out, size_t size)
{
    const struct weir_collective *c = program->what;
    uint64_t parts = c->algorithm->parts(c);
    if (c->item->bytes % parts == 0)
        return false;
    (void)snprintf(out, size, "bytes = %llu: %llu parts of it are not all equal, but have %llu or %llu B",
                   (unsigned long long)c->item->bytes, (unsigned long long)parts,
                   (unsigned long long)(c->item->bytes / parts), (unsigned long long)(c->item->bytes / parts + 1));
    return true;
}
