/* src/base/text/machine.h - a description of the machine, for result files. */
#ifndef WEIR_TEXT_MACHINE_H
#define WEIR_TEXT_MACHINE_H

enum { WEIR_MACHINE_TEXT = 256 };

/* Writes a description of the machine, since real times depend on it: operating system, release, architecture and
 * number of processors. The host name is left out for privacy. */
void weir_machine(char out[WEIR_MACHINE_TEXT]);
#endif
