/* src/results/reproduce/scoreboard.h - the scoreboard of a paper: all published numbers, next to the numbers of the
 * newest runs in result files. */
#ifndef WEIR_REPRODUCE_SCOREBOARD_H
#define WEIR_REPRODUCE_SCOREBOARD_H
#include "reproduce/cells.h"
#include "store/store.h"
#include <stdio.h>

enum weir_board_kind {
    WEIR_BOARD_PUBLISHED, /* published numbers: the sum of the kinds below */
    WEIR_BOARD_WITHIN,
    WEIR_BOARD_WEAK, /* within the band, but the number of a run without the mechanism would be, too */
    WEIR_BOARD_OUTSIDE,
    WEIR_BOARD_UNCHECKED, /* no band, or a peak of a shortened run */
    WEIR_BOARD_UNTRIED,   /* a run that the number needs is not in the files */
    WEIR_BOARD_KINDS,
};

struct weir_board_made {            /* the runs from which the numbers of a table were read */
    double scale_least, scale_most; /* least and greatest length of the runs as a factor, 1 = as published; 0 = there
                                       are no runs */
    uint32_t seeds, commits;        /* numbers of different seeds and of different commits, at most 64 each */
    const char *seed, *commit;      /* the first seed and the first commit; "" = there is none */
};

struct weir_board_row { /* a table with published numbers */
    const struct weir_cells *cells;
    struct weir_board_made made;
    uint32_t count[WEIR_BOARD_KINDS];
};

struct weir_board {             /* the scoreboard of a paper */
    struct weir_experiment exp; /* owned */
    struct weir_plan plan;
    struct weir_board_row *row; /* row_count, in the figures' order */
    uint32_t row_count;
    uint32_t count[WEIR_BOARD_KINDS]; /* sums over the rows */
};

/**
 * Fills the scoreboard of a paper. Uses for each point the newest done run in any of the files, whatever its commit and
 * length.
 * @param name   of an experiment, see weir_origin_find(); has to live as long as board
 * @param store  store_count open files; lent for this call
 * @return 0, or a code with err; board then needs no free
 */
int weir_board_make(struct weir_board *board, const char *name, struct weir_store *const *store, uint32_t store_count,
                    struct weir_err *err);
void weir_board_free(struct weir_board *board);

/* Prints the scoreboards of `count` papers as a page of Markdown. */
void weir_board_print(FILE *out, const struct weir_board *board, uint32_t count);

/* Prints the scoreboards of `count` papers as JSON. */
void weir_board_json(FILE *out, const struct weir_board *board, uint32_t count);
void weir_board_schema(FILE *out); /* prints the JSON Schema of weir_board_json() */
#endif
