/* src/cli/progress.h - one line on stderr that says how far a run is. */
#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H
#include "sim/sim.h"

#define WEIR_PROGRESS_WIDTH 100u

struct weir_progress_line {
    FILE *out;                   /* NULL = say nothing */
    bool redraw;                 /* a terminal: the line is drawn over; else every line stays */
    uint64_t start_ns, drawn_ns; /* real time; drawn 0 = not yet */
    uint32_t drawn_width;        /* characters on the terminal now */
};

/* when: see enum weir_progress_when (cli/args.h). */
void weir_progress_begin(struct weir_progress_line *line, FILE *out, bool show, uint64_t now_ns);

/* For struct weir_sim_options; ctx is the line. Draws at most five times a second on a terminal, once a second
 * elsewhere. */
void weir_progress_told(void *ctx, const struct weir_progress *p);

/* Writes a line of another kind: over the last one on a terminal. text: may be cut to the terminal's width */
void weir_progress_draw(struct weir_progress_line *line, char *text);

/* Takes the line off the terminal. */
void weir_progress_end(struct weir_progress_line *line);

/**
 * The text alone, without the terminal.
 * @param wall_ns  real time since the run began; 0 = no speed yet
 */
void weir_progress_text(char *out, size_t size, const struct weir_progress *p, uint64_t wall_ns);

/* Monotonic real time. */
uint64_t weir_wall_ns(void);
#endif
