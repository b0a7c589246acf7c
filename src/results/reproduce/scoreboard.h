/* src/results/reproduce/scoreboard.h - the scoreboard of a paper: all published numbers, next to the numbers of the
 * newest runs in result files. A printed number counts once, by its main reading. Orders, numbers that we derived, and
 * other readings are counted apart. */
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
    double measure_scale_least;     /* likewise of their measured parts */
    uint32_t seeds, commits;        /* numbers of different seeds and of different commits, at most 64 each */
    const char *seed, *commit;      /* the first seed and the first commit; "" = there is none */
};

struct weir_board_row { /* a table with published numbers */
    const struct weir_cells *cells;
    struct weir_board_made made;
    uint32_t count[WEIR_CLASSES][WEIR_BOARD_KINDS];
    uint32_t sampled; /* of its published numbers: longest queues, and the runs have statistics: sampled */
};

struct weir_board_run { /* a run that the scoreboard reads; texts are in memory of the experiment */
    const struct weir_point *point;
    const char *digest, *commit, *seed;
    double scale, measure_scale; /* length of it and of its measured part as factors, 1 = as published */
};

struct weir_board {             /* the scoreboard of a paper */
    struct weir_experiment exp; /* owned */
    struct weir_plan plan;
    struct weir_board_row *row; /* row_count, in the figures' order */
    struct weir_board_run *run; /* run_count, in the order of plan.point */
    uint32_t row_count, run_count;
    uint32_t count[WEIR_CLASSES][WEIR_BOARD_KINDS]; /* sums over the rows */
};

struct weir_board_others {              /* the other readings of a printed number */
    uint32_t count, within;             /* within: in the band, weak ones too */
    double least, most;                 /* measured numbers; least > most = there are none */
    const struct weir_table_spec *spec; /* a table that has one; NULL = there is none */
};

/* Returns what a cell counts as in its class. */
enum weir_board_kind weir_board_kind_of(const struct weir_cell *cell);

/* Returns the other readings of the printed number with that id. */
struct weir_board_others weir_board_others(const struct weir_board *board, const char *id);

/**
 * Fills the scoreboard of a paper. Uses for each point the newest done run in any of the files, whatever its commit and
 * length.
 * @param name   of an experiment, see weir_origin_find(); has to live as long as board
 * @param store  store_count open files; lent for this call
 * @return 0, or a code with err, also if a printed number has no main reading or two; board then needs no free
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
