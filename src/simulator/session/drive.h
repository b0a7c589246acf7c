/* src/simulator/session/drive.h - a run with the traffic of its scenario, which a command drives as a session. It
 * pauses at instants, is changed there, and goes on. Cables change by weir_sim_cut(), weir_sim_hold() and
 * weir_sim_mend() of weir/sim.h. Without a change such a run is that of weir_sim_run(), with all its options. */
#ifndef WEIR_SESSION_DRIVE_H
#define WEIR_SESSION_DRIVE_H
#include "model/model.h"
#include "setup/setup.h"
#include <weir/sim.h>

/* Opens a driven run. setup, options: lent until weir_drive_close(). Cables that will change are announced by
 * fabric.cuttable, weights by scn->weights_from_q20. @return the run, or NULL with err */
struct weir_sim *weir_drive_open(struct weir_setup *setup, const struct weir_sim_options *options,
                                 struct weir_err *err);

/* Simulates all that happens before an instant, not before weir_sim_now(). All nodes then stand there, at
 * weir_sim_now(), unless the run is over or done before. @return 0, or a code with err: the run has failed */
int weir_drive_until(struct weir_sim *sim, uint64_t until_ps, struct weir_err *err);

/* Tests whether the run is over: at its end, stopped, or stalled. */
bool weir_drive_is_over(const struct weir_sim *sim);
/* Tests whether all messages have ended that there will be: a run until all is done ends here. */
bool weir_drive_is_done(const struct weir_sim *sim);

enum weir_drive_message { /* of a message, at weir_sim_now() */
                          WEIR_DRIVE_TO_COME,
                          WEIR_DRIVE_OPEN, /* it has started, and its sender does not know of its end */
                          WEIR_DRIVE_ENDED,
};

/* Returns the state of a message. id: as in the file of --messages, of a host of the topology */
enum weir_drive_message weir_drive_message(const struct weir_sim *sim, uint64_t id);
/* Returns the state of the message of a job's flow. *id: gets the message's id if it is open */
enum weir_drive_message weir_drive_job_flow(const struct weir_sim *sim, uint32_t flow, uint64_t *id);

/* Sets the weight of a message from weir_sim_now() on; does nothing if it has ended. @return 0, or WEIR_E_MEMORY with
 * err */
int weir_drive_weight(struct weir_sim *sim, uint64_t id, uint64_t weight_q20, struct weir_err *err);

struct weir_drive_port {              /* one direction of a cable, at weir_sim_now() */
    uint64_t queue_bytes, left_bytes; /* on the wire: what waits, with the rest of a frame that is being sent; what has
                                         left so far, or was dropped by a feature */
    uint64_t marks, lost;             /* packets so far. lost: dropped at the port, or lost on the wire */
    bool is_paused, is_down;          /* control frames have closed a class; its cable is down */
};

/* Describes the port of a link by its number. All nodes stand. */
struct weir_drive_port weir_drive_port(const struct weir_sim *sim, uint32_t number);

struct weir_drive_open { /* a message that is open */
    uint64_t id, bytes, start_ps;
    uint32_t dst;
};

/* Lists open messages, `most` at most, from host `first` on, around all hosts. @return how many */
uint32_t weir_drive_list(const struct weir_sim *sim, uint32_t first, struct weir_drive_open *out, uint32_t most);

/* Describes a message and its law, by a sender that keeps track (weir_setup_track()). @return false = it is not open,
 * or waits for a connection */
bool weir_drive_law(const struct weir_sim *sim, uint64_t id, struct weir_host_flow *out);

/* Lets the run go on to its end, and computes the result, as weir_sim_run() does. @return 0, or a code with err */
int weir_drive_finish(struct weir_sim *sim, struct weir_result *result, struct weir_err *err);

/* Frees a driven run, which may have failed or not ended; NULL does nothing. */
void weir_drive_close(struct weir_sim *sim);
#endif
