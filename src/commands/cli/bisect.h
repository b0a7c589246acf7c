/* src/commands/cli/bisect.h - what `weir bisect` found, and how it is printed. */
#ifndef WEIR_CLI_BISECT_H
#define WEIR_CLI_BISECT_H
#include <stdint.h>
#include <stdio.h>

struct weir_bisected {
    char name[2][128]; /* the two runs, for the reader */
    uint64_t at_ps;    /* time of the first event that differs; WEIR_NEVER = none does */
    uint64_t events;   /* how many events before it are equal */
    char packet[64];   /* the packet that differs, as KIND:SRC:DST:CONN:SEQ; empty = none */
    char *event[2];    /* the event in each run, as weir_packet_digest_print() prints it; NULL = it has none; owned */
    char *path_text;   /* owned: the lines of path */
    char **path;       /* path_count events of the packet until then; owned array */
    uint32_t path_count;
};

void weir_bisected_print(FILE *out, const struct weir_bisected *f);
void weir_bisected_json(FILE *out, const struct weir_bisected *f);
void weir_bisect_schema(FILE *out); /* prints the JSON Schema of weir_bisected_json() */
void weir_bisected_free(struct weir_bisected *f);
#endif
