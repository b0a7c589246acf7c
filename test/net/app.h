/* test/net/app.h - what the world's applications do: start operations, take events, answer, keep and give back. */
#ifndef WEIR_TEST_NET_APP_H
#define WEIR_TEST_NET_APP_H
#include "test/net/ledger.h"

/* Starts and answers what is due. @return whether anything was submitted */
bool app_work(struct world *w, uint32_t i);
void app_event(struct world *w, uint32_t i, const struct weir_event *event);
/* When app_work() has something to do though no event comes; UINT64_MAX = never. */
uint64_t app_next_ns(const struct world *w, uint32_t i);
void app_end_offers(struct world *w, uint32_t i);
void app_release_all(struct world *w, uint32_t i);
#endif
