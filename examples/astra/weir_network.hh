/* examples/astra/weir_network.hh - Weir as the network of ASTRA-sim: a session of libweirsim in which each rank is a host.
 *
 *     WeirCluster cluster(scenario, ranks);   // a scenario with traffic of kind session
 *     WeirNetwork network(cluster, rank);     // one per rank, for its Sys
 *     ..                                      // the system layer begins: it sends, receives and schedules
 *     cluster.run();                          // until every rank has finished, or nothing is left
 *
 * Handlers run in the call-back of their rank's host, at the instant of the event. What they send or schedule for their
 * own rank starts at this very instant. What they do for another rank is done when the present events are handed out: it
 * starts at weir_sim_floor(), and is counted (late_calls). One thread, since all ranks ask one clock. */
#ifndef WEIR_ASTRA_WEIR_NETWORK_HH
#define WEIR_ASTRA_WEIR_NETWORK_HH
#include "network_api.hh"
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>
#include <weir/sim.h>

class WeirCluster
{
  public:
    typedef void (*Handler)(void *arg);

    /* Rank r is at host r. Throws std::runtime_error with the place and the sentence if the scenario is refused, or has
     * fewer hosts than ranks. */
    WeirCluster(const std::string &scenario, uint32_t ranks);
    ~WeirCluster();
    WeirCluster(const WeirCluster &) = delete;
    WeirCluster &operator=(const WeirCluster &) = delete;

    /* Advances until all ranks have finished or nothing is left to happen. Throws what a call-back met, or a failure of
     * the run. @return whether all ranks have finished */
    bool run();

    void send(uint32_t src, uint32_t dst, int tag, uint64_t bytes, Handler handler, void *arg);
    void receive(uint32_t dst, uint32_t src, int tag, uint64_t bytes, Handler handler, void *arg);
    void schedule(uint32_t rank, uint64_t delta_ps, Handler handler, void *arg);
    void finished()
    {
        done_++;
    }

    uint64_t now_ps() const
    {
        return now_ps_;
    }
    uint32_t ranks() const
    {
        return ranks_;
    }
    uint64_t late_calls() const
    {
        return late_calls_;
    }
    uint64_t digest(); /* ends the session */

  private:
    struct Call { /* what is to happen at a rank: a message that is sent, or a timer */
        Handler handler;
        void *arg;
        uint32_t src, dst;
        int tag;
        uint64_t bytes;
    };
    struct Wanted {
        uint64_t bytes;
        Handler handler;
        void *arg;
    };
    struct Flow { /* of one sender, receiver and tag: what has arrived and nobody has received, and who waits */
        uint64_t bytes;
        std::deque<Wanted> wanted;
    };
    struct Late { /* a call for another rank than that of the call-back */
        uint64_t call, start_ps;
        uint32_t rank;
    };

    static void visit(void *ctx, const struct weir_sim_event *event, uint32_t here);
    void on_event(const struct weir_sim_event &event, uint32_t here);
    void match(const std::tuple<uint32_t, uint32_t, int> &key);
    void give(uint64_t call, uint32_t rank, uint64_t start_ps);
    uint64_t keep(const Call &call);
    void release(uint64_t call);
    void refuse(int code);

    struct weir_sim *sim_;
    uint32_t ranks_, done_, here_; /* here_: rank of the call-back; UINT32_MAX = none */
    uint64_t now_ps_, late_calls_;
    std::vector<Call> call_;
    std::vector<uint64_t> free_;
    std::vector<Late> late_;
    std::map<std::tuple<uint32_t, uint32_t, int>, Flow> flow_;
    std::string error_;
};

class WeirNetwork : public AstraSim::AstraNetworkAPI
{
  public:
    WeirNetwork(WeirCluster &cluster, int rank_of) : AstraNetworkAPI(rank_of), cluster_(cluster)
    {
    }
    int sim_send(void *buffer, uint64_t count, int type, int dst, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *fun_arg), void *fun_arg);
    int sim_recv(void *buffer, uint64_t count, int type, int src, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *fun_arg), void *fun_arg);
    void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *fun_arg), void *fun_arg);
    AstraSim::timespec_t sim_get_time();
    void sim_notify_finished();
#ifdef WEIR_ASTRA_SIMAI
    int sim_init(AstraSim::AstraMemoryAPI *memory);
    int sim_finish();
    int sim_comm_size(AstraSim::sim_comm comm, int *size);
    double sim_time_resolution();
#endif

  private:
    WeirCluster &cluster_;
};
#endif
