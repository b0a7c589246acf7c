/* src/scenario/workload/message_id.h - ids of messages: the host that sends it, and how many messages that host started
 * before. They are unique, and independent of the engine. */
#ifndef WEIR_WORKLOAD_MESSAGE_ID_H
#define WEIR_WORKLOAD_MESSAGE_ID_H
#include <stdint.h>

#define WEIR_MESSAGE_NUMBERS (UINT64_C(1) << 40) /* of one host */
#define WEIR_MESSAGE_HOSTS (UINT64_C(1) << 24)

/* Returns the id of a message. number: less than WEIR_MESSAGE_NUMBERS */
static inline uint64_t weir_message_id(uint64_t host, uint64_t number)
{
    return host * WEIR_MESSAGE_NUMBERS + number;
}

/* Returns the host that sends a message. */
static inline uint64_t weir_message_host(uint64_t id)
{
    return id / WEIR_MESSAGE_NUMBERS;
}

/* Returns how many messages that host started before. */
static inline uint64_t weir_message_number(uint64_t id)
{
    return id % WEIR_MESSAGE_NUMBERS;
}
#endif
