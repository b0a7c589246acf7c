/* examples/astra/network_api.hh - what ASTRA-sim's system layer asks of a network: the same names and signatures, so that
 * the adapter is compiled and tested without it. Within ASTRA-sim its own header is used (WEIR_ASTRA_NETWORK_API);
 * SimAI's has more calls (WEIR_ASTRA_SIMAI). */
#ifndef WEIR_ASTRA_NETWORK_API_HH
#define WEIR_ASTRA_NETWORK_API_HH
#ifdef WEIR_ASTRA_NETWORK_API
#include WEIR_ASTRA_NETWORK_API
#else
#define WEIR_ASTRA_SIMAI
#include <cstdint>

namespace AstraSim
{

enum time_type_e { SE = 0, MS, US, NS, FS };

struct timespec_t {
    time_type_e time_res;
    double time_val;
};

struct sim_request {
    uint32_t srcRank, dstRank, tag;
    uint64_t reqCount;
};

struct sim_comm {
    char *comm_name;
};

class AstraMemoryAPI;

class AstraNetworkAPI
{
  public:
    explicit AstraNetworkAPI(int rank_of) : rank(rank_of)
    {
    }
    virtual ~AstraNetworkAPI()
    {
    }
    virtual int sim_send(void *buffer, uint64_t count, int type, int dst, int tag, sim_request *request,
                         void (*msg_handler)(void *fun_arg), void *fun_arg) = 0;
    virtual int sim_recv(void *buffer, uint64_t count, int type, int src, int tag, sim_request *request,
                         void (*msg_handler)(void *fun_arg), void *fun_arg) = 0;
    virtual void sim_schedule(timespec_t delta, void (*fun_ptr)(void *fun_arg), void *fun_arg) = 0;
    virtual timespec_t sim_get_time() = 0;
    virtual void sim_notify_finished() = 0;
    /* of SimAI */
    virtual int sim_init(AstraMemoryAPI *memory) = 0;
    virtual int sim_finish() = 0;
    virtual int sim_comm_size(sim_comm comm, int *size) = 0;
    virtual double sim_time_resolution() = 0;

    const int rank;
};

} // namespace AstraSim
#endif
#endif
