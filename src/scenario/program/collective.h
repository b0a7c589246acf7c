/* src/scenario/program/collective.h - collective operations as programs: groups of ranks that do an operation together,
 * by an algorithm, perhaps several times. Nothing is listed: what arrives names its step, and the next message follows
 * from the rank and the step. */
#ifndef WEIR_PROGRAM_COLLECTIVE_H
#define WEIR_PROGRAM_COLLECTIVE_H
#include "program/program.h"

#define WEIR_COLLECTIVE_RESULTS_MAX 65536u              /* most groups times steps of one item */
#define WEIR_COLLECTIVE_AT_ONCE_MAX (UINT64_C(1) << 25) /* most messages of one item that may be there at once */
#define WEIR_COMPUTE_MAX_PS (18000 * WEIR_PS_PER_S)     /* most that a rank computes in all steps */

struct weir_algorithm;

struct weir_collective { /* of one item; read-only while the run is on */
    const struct weir_traffic_config *item;
    const struct weir_algorithm *algorithm;
    uint32_t ranks;     /* of all groups */
    uint32_t n, stride; /* ranks of a group; distance between the numbers of two that follow each other */
    uint32_t groups;    /* ranks = n * groups */
    uint64_t key;       /* of the random stream that stragglers are drawn from */
    char (*name)[40];   /* of the results, by step and group; owned */
};

struct weir_collective_call { /* a rank of a group that acts now */
    const struct weir_collective *c;
    uint32_t index;    /* of the rank in its group */
    uint32_t *counter; /* c->algorithm->counters(c) of them, of this rank and step; 0 at first */
    void *ctx;         /* for weir_collective_send() */
};

/* An algorithm of an operation. The data of S bytes are cut into `parts` of nearly equal sizes. A token is the number
 * of a message among those that a rank receives, or sends, in one step: each rank of the group knows from it what to
 * do. */
struct weir_algorithm {
    uint8_t op, algorithm;
    bool power_of_two; /* groups must have 2, 4, 8, .. ranks */
    bool to_all;       /* each rank sends to all others at once */
    uint64_t (*parts)(const struct weir_collective *c);
    uint32_t (*counters)(const struct weir_collective *c);                 /* NULL = none */
    uint64_t (*receives)(const struct weir_collective *c, uint32_t index); /* messages of a rank in one step */
    uint64_t (*sends)(const struct weir_collective *c, uint32_t index);
    void (*begin)(const struct weir_collective_call *call);
    void (*arrived)(const struct weir_collective_call *call, uint32_t token);
    uint64_t (*size)(const struct weir_collective *c, uint32_t n); /* as weir_program_size() */
};
extern const struct weir_program_ops weir_collective_program;

/* Finds the algorithm of an operation. @return NULL = the operation has no such algorithm */
const struct weir_algorithm *weir_algorithm_of(uint32_t op, uint32_t algorithm);

/* Returns the bytes of `count` parts from `first` on, of `parts` in all: floor(S (first + count) / parts) - floor(S
 * first / parts). */
uint64_t weir_collective_bytes(const struct weir_collective *c, uint64_t first, uint64_t count, uint64_t parts);
/* Lets the rank of a call send a message to another of its group. */
void weir_collective_send(const struct weir_collective_call *call, uint32_t to, uint32_t token, uint64_t bytes);

/* Returns the group of a rank, and its index there. */
static inline uint32_t weir_collective_group(const struct weir_collective *c, uint32_t rank)
{
    return rank / (c->n * c->stride) * c->stride + rank % c->stride;
}
static inline uint32_t weir_collective_index(const struct weir_collective *c, uint32_t rank)
{
    return rank / c->stride % c->n;
}

/* Fills *program, and the struct weir_collective that it owns, from an item. index: of the item. @return 0, or a code
 * with err: then it has to be freed, too */
int weir_collective_build(struct weir_program *program, const struct weir_traffic_config *item, uint32_t index,
                          const struct weir_programs_from *from, struct weir_err *err);

/* Functions of weir_collective_program that need no state of a run: struct weir_program_ops. */
void weir_collective_free(struct weir_program *program);
uint64_t weir_collective_size(const struct weir_program *program, uint32_t n);
bool weir_collective_note(const struct weir_program *program, char *out, size_t size);
#endif
