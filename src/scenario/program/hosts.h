/* src/scenario/program/hosts.h - at which hosts the ranks of a program are. For this room. */
#ifndef WEIR_PROGRAM_HOSTS_H
#define WEIR_PROGRAM_HOSTS_H
#include "program/program.h"

/**
 * Gives every rank of a program its host, by the keys `ranks` and `placement` of its item: program->ranks, host_of and
 * rank_of, which weir_program_free_hosts() frees, also after an error.
 * @param ranks  how many ranks there are; 0 = as many as the key says
 * @return 0, or a code with err: fewer hosts than ranks, a key that cannot be read, no memory
 */
int weir_program_assign_hosts(struct weir_program *program, const struct weir_traffic_config *item, uint32_t ranks,
                              const struct weir_programs_from *from, struct weir_err *err);
void weir_program_free_hosts(struct weir_program *program);
#endif
