/* src/commands/watch/frame.h - what the page of `weir run --live` is shown of a run: a description, frames of it as it
 * goes on, and what came of it; as JSON. Memory is bounded, whatever the run is. */
#ifndef WEIR_WATCH_FRAME_H
#define WEIR_WATCH_FRAME_H
#include "measure/detail.h"
#include "model/account.h"
#include "setup/setup.h"
#include "workload/jobs.h"
#include <stdio.h>

struct weir_sim;

enum {
    WEIR_FRAME_ENDED = 512,  /* messages that ended since the last frame, of which a frame has details */
    WEIR_FRAME_OPEN = 128,   /* messages that are open */
    WEIR_FRAME_JOBS = 256,   /* jobs with .. */
    WEIR_FRAME_FLOWS = 8192, /* .. this many flows at most; of more none is shown */
};

struct weir_frames { /* of one run */
    const struct weir_setup *setup;
    const struct weir_sim *sim;
    uint64_t *left_bytes, *marks, *lost; /* by link, at the last frame */
    uint8_t *flags;                      /* by link, of the frame that is made */
    uint64_t at_ps;                      /* of the last frame */
    uint64_t number;                     /* of the next frame */
    struct weir_delivery *ended;         /* ring: the last WEIR_FRAME_ENDED since the last frame */
    uint64_t ended_count;                /* since then */
    struct weir_detail *detail;          /* slowdowns of all messages that have ended */
    uint64_t completed;                  /* messages so far */
    uint64_t message;                    /* whose law is shown; WEIR_NEVER = none */
    char *text;                          /* of the last frame: length bytes */
    size_t length, room;
};

/* @return 0, then weir_frames_free() must follow; or WEIR_E_MEMORY with err */
int weir_frames_init(struct weir_frames *frames, const struct weir_setup *setup, struct weir_err *err);
void weir_frames_free(struct weir_frames *frames);

/* Keeps messages that have ended, for the next frame and for distributions. */
void weir_frames_rows(struct weir_frames *frames, const struct weir_account_row *row, size_t count);

/* Begins anew for a page that has just opened: marks and losses are those since then. */
void weir_frames_restart(struct weir_frames *frames);

/* Returns how many jobs a frame shows. jobs: NULL = the run has none */
uint32_t weir_frames_jobs(const struct weir_jobs *jobs);

/* Makes a frame of the run at weir_sim_now(): frames->text. state: "paused" */
void weir_frames_make(struct weir_frames *frames, const char *state);
#endif
