/* src/scenario/trace/chakra.h - execution traces of Chakra: what the readers of its two forms share. A trace has a file
 * per rank. Its nodes become nodes of the graph: a collective operation becomes several, and what waits for it waits
 * for the last of them. Sources: Chakra's et_def.proto and et_feeder; ASTRA-sim's Workload.cc. */
#ifndef WEIR_TRACE_CHAKRA_H
#define WEIR_TRACE_CHAKRA_H
#include "trace/collective.h"
#include "workload/text.h"

enum chakra_type { /* Chakra's NodeType */
                   CHAKRA_INVALID,
                   CHAKRA_METADATA,
                   CHAKRA_MEM_LOAD,
                   CHAKRA_MEM_STORE,
                   CHAKRA_COMP,
                   CHAKRA_SEND,
                   CHAKRA_RECV,
                   CHAKRA_COLL,
};

enum chakra_value { /* numbers of a node that have names: attributes of a node, or in JSON also its keys */
                    CHAKRA_ID,
                    CHAKRA_TYPE,
                    CHAKRA_DURATION, /* microseconds */
                    CHAKRA_COMM_TYPE,
                    CHAKRA_COMM_SIZE,
                    CHAKRA_COMM_SRC,
                    CHAKRA_COMM_DST,
                    CHAKRA_COMM_TAG,
                    CHAKRA_IS_CPU_OP,
                    CHAKRA_VALUES,
};

struct chakra_node { /* a node as a file has it */
    uint64_t value[CHAKRA_VALUES];
    bool has[CHAKRA_VALUES];  /* the file gives the value; else it is 0 */
    struct weir_field group;  /* pg_name; length 0 = all ranks */
    struct weir_field inputs; /* values of its inputs as text: of a metadata node perhaps groups of ranks */
};

struct chakra; /* state while a trace is read */

/* Returns the number of an attribute's name; CHAKRA_VALUES = the attribute does not matter here. */
enum chakra_value weir_chakra_value_of(const struct weir_field *name);
/* Sets the version of the trace, for messages; not owned, and used until the file ends. */
void weir_chakra_version(struct chakra *c, const struct weir_field *version);
/* Lets the next node that weir_chakra_node() gets wait for the node with this id, which may be anywhere in the file.
 * control: a control dependency, which counts only if the item says so. @return 0, or a code with err */
int weir_chakra_wait(struct chakra *c, uint64_t id, bool control);
/* Adds a node of the present rank. @return 0, or a code with err */
int weir_chakra_node(struct chakra *c, const struct chakra_node *node);
/* Adds a group of ranks. name: as nodes say it. member: count ranks, copied; count 0 = all ranks. A group that is there
 * already is replaced as long as no node has used it. @return 0, or a code with err */
int weir_chakra_group(struct chakra *c, const struct weir_field *name, const uint32_t *member, uint32_t count);

/* Refuses the present file: "this is a Chakra trace of version 0.0.4: .." @return code */
__attribute__((format(printf, 4, 5))) int weir_chakra_fail(struct chakra *c, enum weir_err_code code, const char *hint,
                                                           const char *format, ...);

/* Reads the file of one rank, in binary form and as JSON. @return 0, or a code with err */
int weir_chakra_read_et(struct chakra *c, struct trace_reader *r);
int weir_chakra_read_json(struct chakra *c, struct trace_reader *r);
/* Reads groups of ranks: {"1": [0, 1], ..}. @return 0, or a code with err */
int weir_chakra_read_groups(struct chakra *c, struct trace_reader *r);
/* Reads groups from the inputs of a metadata node, as PyTorch writes them; text that is none is passed over. @return 0,
 * or a code with err */
int weir_chakra_read_inputs(struct chakra *c, struct trace_reader *r, const struct weir_field *inputs);

/* Tests whether bytes begin as a trace in binary form. */
bool weir_trace_is_chakra(const char *bytes, size_t length);
/* Tests whether a text begins as a workload of SimAI. */
bool weir_trace_is_simai(const char *text);
/* Refuses a form that the kind of the item does not read. @return 0, or WEIR_E_SYNTAX with r->err */
int weir_trace_check_form(const struct trace_reader *r, enum weir_trace_form form, uint32_t kind);
/* Reads all files of a trace. @return 0, or a code with r->err */
int weir_trace_chakra(struct trace_reader *r, const struct weir_traffic_config *item, const char *base_dir);
#endif
