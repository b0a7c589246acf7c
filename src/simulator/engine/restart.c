/* src/simulator/engine/restart.c - hosts that restart: doc/model.md [restarts]. */
#include "engine/engine.h"

void weir_sim_restart(struct sim_engine *e, uint32_t host, uint64_t now_ps)
{
    uint32_t hosts = e->model->topo->host_count;
    WEIR_ASSERT(host < hosts && e->epoch != NULL);
    e->epoch[host]++;
    for (uint32_t h = 0; h < hosts; h++) {
        if (h != host && sim_is_mine(e, host))
            weir_host_forget(e->host[host].h, now_ps, h);
        if (!sim_is_mine(e, h))
            continue;
        if (h != host)
            weir_host_forget(e->host[h].h, now_ps, host);
        e->host[h].timer_ps = now_ps;
        sim_due_at(e, h, now_ps);
    }
    weir_account_restart(&e->account, host, now_ps);
}
