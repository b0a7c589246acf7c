/* test/twin/wire_send.h - sends frames into devices of this machine: the steps `send` and `throw` of wire_tool. */
#ifndef WEIR_TEST_WIRE_SEND_H
#define WEIR_TEST_WIRE_SEND_H

/* Both take the arguments of their step, print how many frames were sent, and then read from standard input how many
 * have left the switch, and receive those. @return an exit status */
int wire_send(int count, char **arg);
int wire_throw(int count, char **arg);
#endif
