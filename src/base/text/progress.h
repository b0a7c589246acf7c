/* src/base/text/progress.h - a progress line on stderr: overwritten on a terminal; elsewhere a new line from time to
 * time. */
#ifndef WEIR_TEXT_PROGRESS_H
#define WEIR_TEXT_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_PROGRESS_WIDTH 100u
#define WEIR_PROGRESS_LOG_NS UINT64_C(30000000000)  /* interval of lines that do not go to a terminal */
#define WEIR_PROGRESS_ASKED_NS UINT64_C(1000000000) /* the same with WEIR_PROGRESS_ALWAYS */

enum weir_progress_when { WEIR_PROGRESS_AUTO, WEIR_PROGRESS_NEVER, WEIR_PROGRESS_ALWAYS };

struct weir_progress_line {
    FILE *out;                           /* NULL = no output */
    bool redraw;                         /* true = a terminal, where each line overwrites the one before */
    uint64_t start_ns, every_ns, due_ns; /* real time; due: of the next line, UINT64_MAX = no next line */
    uint32_t drawn_width;                /* width of the line that is on the terminal now */
};

/**
 * Begins a progress line. The first line is due: with WEIR_PROGRESS_NEVER never, with WEIR_PROGRESS_ALWAYS at once,
 * with WEIR_PROGRESS_AUTO after one interval.
 * @param terminal_ns  interval of lines if out is a terminal. If not, the interval is WEIR_PROGRESS_ASKED_NS with
 * WEIR_PROGRESS_ALWAYS, and WEIR_PROGRESS_LOG_NS with WEIR_PROGRESS_AUTO
 * @param now_ns       present time, as weir_wall_ns()
 */
void weir_progress_begin(struct weir_progress_line *line, FILE *out, enum weir_progress_when when, uint64_t terminal_ns,
                         uint64_t now_ns);

/* Tests whether a line is due now. If so, makes the next line due one interval from now: the caller must draw the
 * present one. */
bool weir_progress_due(struct weir_progress_line *line, uint64_t now_ns);

/* Prints a line that is due; on a terminal overwrites the previous line. text: on a terminal the function cuts it, in
 * place, to the terminal's width */
void weir_progress_draw(struct weir_progress_line *line, char *text);

/* Clears the line if it is on a terminal, so that other output can be printed. Does not change when the next line is
 * due. */
void weir_progress_clear(struct weir_progress_line *line);

/* Clears the line if it is on a terminal, and ends the progress line: no line is due any more. */
void weir_progress_end(struct weir_progress_line *line);
#endif
