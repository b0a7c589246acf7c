/* src/scenario/program/build.c - builds the programs of a scenario: see program.h. */
#include "program/program.h"
#include "core/assert.h"
#include "program/collective.h"
#include "program/graph.h"
#include "program/hosts.h"
#include "program/run.h"
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

int weir_programs_build(struct weir_programs *programs, const struct weir_programs_from *from, struct weir_err *err)
{
    int code = 0;
    WEIR_ASSERT(from->item_count <= WEIR_TRAFFIC_MAX);
    *programs = (struct weir_programs){ .hosts = from->hosts };
    for (uint32_t i = 0; i < from->item_count && code == 0; i++) {
        struct weir_program *program = &programs->program[programs->count];
        bool graph = from->graph != NULL && from->graph[i].ranks > 0;
        if (!graph && from->item[i].kind != WEIR_TRAFFIC_COLLECTIVE)
            continue;
        err->file[0] = '\0';
        code = graph ? weir_rank_graph_build(program, &from->graph[i], &from->item[i], i, from, err)
                     : weir_collective_build(program, &from->item[i], i, from, err);
        code = blame_item(code, from->where != NULL ? &from->where[i] : NULL, err);
        programs->of_item[i] = (uint8_t)programs->count++; /* also after an error: it is freed */
        programs->messages += program->messages;
    }
    if (code != 0)
        weir_programs_free(programs);
    return code;
}

void weir_programs_free(struct weir_programs *programs)
{
    for (uint32_t p = 0; p < programs->count; p++) {
        struct weir_program *program = &programs->program[p];
        if (program->ops->free_what != NULL)
            program->ops->free_what(program);
        weir_program_free_hosts(program);
    }
    *programs = (struct weir_programs){ 0 };
}

uint64_t weir_program_size(const struct weir_program *program, uint32_t n)
{
    return program->ops->size(program, n);
}

bool weir_program_note(const struct weir_program *program, char *out, size_t size)
{
    return program->ops->note != NULL && program->ops->note(program, out, size);
}
