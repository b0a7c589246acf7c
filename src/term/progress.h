/* src/term/progress.h - one line on stderr that says how far something is: drawn over on a terminal. */
#ifndef WEIR_TERM_PROGRESS_H
#define WEIR_TERM_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_PROGRESS_WIDTH 100u

struct weir_progress_line {
    FILE *out;                   /* NULL = say nothing */
    bool redraw;                 /* a terminal: the line is drawn over; else every line stays */
    uint64_t start_ns, drawn_ns; /* real time; drawn 0 = not yet */
    uint32_t drawn_width;        /* characters on the terminal now */
};

/* show: false = all that follows draws nothing. */
void weir_progress_begin(struct weir_progress_line *line, FILE *out, bool show, uint64_t now_ns);

/* Writes a line: over the last one on a terminal. text: may be cut to the terminal's width */
void weir_progress_draw(struct weir_progress_line *line, char *text);

/* Takes the line off the terminal. */
void weir_progress_end(struct weir_progress_line *line);
#endif
