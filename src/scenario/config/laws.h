/* src/scenario/config/laws.h - laws of traffic items: their keys `protocol`, `host` and `class`. A law is a protocol
 * with its keys, host keys and frames. Items with equal laws share one. */
#ifndef WEIR_CONFIG_LAWS_H
#define WEIR_CONFIG_LAWS_H
#include "config/load.h"

/* Keys that the functions below read: of an item of `traffic`, and of an item of `hosts`; NULL-terminated. */
extern const char *const weir_laws_keys[], *const weir_laws_hosts_keys[];

/* Host keys of which a host has one, whatever its laws: it has one NIC; NULL-terminated. */
extern const char *const weir_laws_of_the_nic[];

/* Expands the short form of laws in the tree of the list `traffic` or `hosts`: `protocol: cubic` becomes `protocol:
 * {name: cubic}`, in sections `deploy` too. list: may be NULL. @return 0, or a code with l->err */
int weir_laws_widen(struct weir_load *l, const struct weir_tree *list);

/* Reads the law of item number index of `hosts`: messages that these hosts send have it, but for those of traffic items
 * with a law of their own. @return 0, or a code with l->err */
int weir_laws_read_hosts(struct weir_load *l, const struct weir_tree *item, uint32_t index);

/* Reads the law of item number index, whose other keys are in l->scn->traffic[index] already, and that of its section
 * `deploy`. The item gets the run's law if it says nothing, and an earlier item's law if that is equal. @return 0, or a
 * code with l->err */
int weir_laws_read(struct weir_load *l, const struct weir_tree *item, uint32_t index);

/* Ends the list of laws, after all items were read. If no item has the run's law, the first item's law becomes the
 * run's. @return 0, or WEIR_E_RANGE with l->err: there are more than WEIR_LAWS_MAX */
int weir_laws_settle(struct weir_load *l);

/* Refuses a preset of an item's law that sets a key outside the law, as fabric.routing, to another value than the run
 * has. A key that the file sets itself holds for all laws and is not compared. Called after all sections were read.
 * @return 0, or WEIR_E_CONFLICT with l->err */
int weir_laws_check_presets(struct weir_load *l);
#endif
