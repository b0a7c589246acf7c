/* src/results/reproduce/scoreboard.h - all published numbers, and what result files have of them, whatever they hold.
 * */
#ifndef WEIR_REPRODUCE_SCOREBOARD_H
#define WEIR_REPRODUCE_SCOREBOARD_H
#include "reproduce/cells.h"
#include "store/store.h"
#include <stdio.h>

enum weir_board_kind {
    WEIR_BOARD_PUBLISHED, /* numbers that were published: the sum of those below */
    WEIR_BOARD_WITHIN,
    WEIR_BOARD_WEAK, /* within, and so would no effect be */
    WEIR_BOARD_OUTSIDE,
    WEIR_BOARD_UNCHECKED, /* no band, or a peak of a shortened run */
    WEIR_BOARD_UNTRIED,   /* not all of its runs are there */
    WEIR_BOARD_KINDS,
};

struct weir_board_made {            /* the runs that the numbers of a figure were read from */
    double scale_least, scale_most; /* length of its runs, 1 = as published; 0 = there are none */
    uint32_t seeds, commits;        /* different ones, .. */
    const char *seed, *commit;      /* .. and the first */
};

struct weir_board_row { /* a table with published numbers */
    const struct weir_cells *cells;
    struct weir_board_made made;
    uint32_t count[WEIR_BOARD_KINDS];
};

struct weir_board {             /* a paper */
    struct weir_experiment exp; /* owned */
    struct weir_plan plan;
    struct weir_board_row *row; /* row_count, in the figures' order */
    uint32_t row_count;
    uint32_t count[WEIR_BOARD_KINDS]; /* sums */
};

/**
 * Finds a paper's runs: of each point the newest one that is done, in any of the files, whatever commit made it and
 * however long it was.
 * @param name  of an experiment, see weir_origin_find()
 * @param store  store_count open files; lent for this call
 * @return 0, or a code with err; board then needs no free
 */
int weir_board_make(struct weir_board *board, const char *name, struct weir_store *const *store, uint32_t store_count,
                    struct weir_err *err);
void weir_board_free(struct weir_board *board);

/* Prints a page of Markdown; prints JSON. */
void weir_board_print(FILE *out, const struct weir_board *board, uint32_t count);
void weir_board_json(FILE *out, const struct weir_board *board, uint32_t count);
void weir_board_schema(FILE *out); /* of that */
#endif
