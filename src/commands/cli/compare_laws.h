/* src/commands/cli/compare_laws.h - the names that `weir compare` compares: of protocols, and of variants, which are
 * protocols with keys of their own. --protocols slow=dctcp makes a variant, and so does the section `variants` of the
 * scenario. */
#ifndef WEIR_CLI_COMPARE_LAWS_H
#define WEIR_CLI_COMPARE_LAWS_H
#include "config/scenario.h"
#include "reproduce/comparison.h"

#define WEIR_COMPARE_NAME WEIR_LAW_VARIANT_NAME

struct weir_compare_names {                                 /* the laws that are compared, or shares of traffic */
    char name[WEIR_COMPARISON_LAWS_MAX][WEIR_COMPARE_NAME]; /* `count` different names */
    /* Protocol of each law, which for "slow=dctcp" has another name. NULL = the scenario is to have a variant of the
     * law's name, or it is a share */
    const struct weir_protocol *protocol[WEIR_COMPARISON_LAWS_MAX];
    uint32_t count;
};

/* Refuses a name that is no protocol's, as that of a variant, where only a protocol may be. option: what gave the name,
 * for the message. @return 0, or a code with err */
int weir_compare_laws_plain(const char *option, const char *name, struct weir_err *err);

/* Reads the text of --protocols, NULL if it is not given, into *laws, which is empty. @return 0, or a code with err */
int weir_compare_laws_read(struct weir_compare_names *laws, const char *protocols, struct weir_err *err);

/* Returns the index of the law whose name is the first `length` bytes of a text; WEIR_COMPARISON_NONE = there is
 * none. */
uint32_t weir_compare_laws_find(const struct weir_compare_names *laws, const char *name, size_t length);

/* Reports that a name, the first `length` bytes of a text, is none of the laws'. @return WEIR_E_UNKNOWN with err */
int weir_compare_laws_fail(const struct weir_compare_names *laws, const char *option, const char *name, size_t length,
                           struct weir_err *err);

/**
 * Finds what a law of the command line is, once the scenario is read.
 * @param file      the scenario file, for messages
 * @param protocol  gets the row of its protocol
 * @param variant   gets the variant of the scenario that has its name; NULL = it is none of these
 * @return 0, or a code with err: the name is unknown, or --protocols and the scenario both say what it is
 */
int weir_compare_laws_settle(const struct weir_compare_names *laws, uint32_t law, const char *file,
                             const struct weir_scenario *scn, const struct weir_protocol **protocol,
                             const struct weir_law_variant **variant, struct weir_err *err);
#endif
