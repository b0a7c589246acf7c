/* examples/astra/weir_network.cc - see weir_network.hh. */
#include "weir_network.hh"
#include <stdexcept>

namespace
{

const uint32_t NOBODY = UINT32_MAX;
const uint64_t PS_PER_NS = 1000;

/* Picoseconds in one unit of a time; what is below one is cut off. */
uint64_t picoseconds(const AstraSim::timespec_t &time)
{
    double ps = static_cast<double>(time.time_val);
    switch (time.time_res) {
    case AstraSim::SE:
        ps *= 1e12;
        break;
    case AstraSim::MS:
        ps *= 1e9;
        break;
    case AstraSim::US:
        ps *= 1e6;
        break;
    case AstraSim::NS:
        ps *= 1e3;
        break;
    case AstraSim::FS:
        ps *= 1e-3;
        break;
    }
    return ps > 0 ? static_cast<uint64_t>(ps) : 0;
}

} // namespace

/* ---- the session ---- */

WeirCluster::WeirCluster(const std::string &scenario, uint32_t ranks)
    : sim_(nullptr), ranks_(ranks), done_(0), here_(NOBODY), now_ps_(0), late_calls_(0)
{
    struct weir_sim_opts opts = {};
    struct weir_sim_error error = {};
    opts.size = sizeof(opts);
    opts.events = WEIR_SIM_DELIVERED | WEIR_SIM_COMPLETED | WEIR_SIM_TIMER;
    opts.on_event = visit;
    opts.ctx = this;
    sim_ = weir_sim_open(scenario.data(), scenario.size(), &opts, &error);
    if (sim_ == nullptr)
        throw std::runtime_error(std::string(error.file) + ":" + std::to_string(error.line) + ":" +
                                 std::to_string(error.column) + ": " + error.text);
    if (weir_sim_hosts(sim_) < ranks) {
        uint32_t hosts = weir_sim_hosts(sim_);
        (void)weir_sim_close(sim_, nullptr, nullptr);
        throw std::runtime_error(std::to_string(ranks) + " ranks: the scenario has " + std::to_string(hosts) +
                                 " hosts");
    }
}

WeirCluster::~WeirCluster()
{
    (void)weir_sim_close(sim_, nullptr, nullptr);
}

uint64_t WeirCluster::digest()
{
    struct weir_sim_counts counts = {};
    counts.size = sizeof(counts);
    (void)weir_sim_close(sim_, &counts, nullptr);
    sim_ = nullptr;
    return counts.digest;
}

bool WeirCluster::run()
{
    while (done_ < ranks_) {
        long count = weir_sim_advance(sim_, WEIR_SIM_NEVER, nullptr);
        if (!error_.empty())
            throw std::runtime_error(error_);
        if (count < 0)
            throw std::runtime_error(weir_sim_error(sim_)->text);
        if (count == 0 && late_.empty())
            break;
        for (const Late &late : late_)
            give(late.call, late.rank, late.start_ps > weir_sim_floor(sim_) ? late.start_ps : weir_sim_floor(sim_));
        late_.clear();
        if (!error_.empty())
            throw std::runtime_error(error_);
    }
    return done_ >= ranks_;
}

/* ---- calls that wait ---- */

uint64_t WeirCluster::keep(const Call &call)
{
    if (free_.empty()) {
        call_.push_back(call);
        return call_.size() - 1;
    }
    uint64_t number = free_.back();
    free_.pop_back();
    call_[number] = call;
    return number;
}

void WeirCluster::release(uint64_t number)
{
    free_.push_back(number);
}

/* Keeps the first refusal: the system layer is C++ behind a call-back of C, so it is thrown by run(). */
void WeirCluster::refuse(int code)
{
    if (code < 0 && error_.empty())
        error_ = weir_sim_error(sim_)->text;
}

/* Gives a message or a timer to the session. To itself a rank sends by a timer: no packet leaves its host. */
void WeirCluster::give(uint64_t number, uint32_t rank, uint64_t start_ps)
{
    const Call &call = call_[number];
    struct weir_sim_message message = {};
    if (call.bytes == 0 || call.src == call.dst) {
        refuse(weir_sim_host_at(sim_, rank, start_ps, number));
        return;
    }
    message.size = sizeof(message);
    message.src = call.src;
    message.dst = call.dst;
    message.bytes = call.bytes;
    message.start_ps = start_ps;
    message.user = number;
    refuse(weir_sim_inject(sim_, &message, nullptr));
}

void WeirCluster::send(uint32_t src, uint32_t dst, int tag, uint64_t bytes, Handler handler, void *arg)
{
    const Call call = { handler, arg, src, dst, tag, bytes > 0 ? bytes : 1 };
    uint64_t number = keep(call);
    if (here_ == NOBODY || here_ == src) {
        give(number, src, here_ == NOBODY ? weir_sim_floor(sim_) : now_ps_);
        return;
    }
    late_calls_++;
    const Late late = { number, now_ps_, src };
    late_.push_back(late);
}

void WeirCluster::schedule(uint32_t rank, uint64_t delta_ps, Handler handler, void *arg)
{
    const Call call = { handler, arg, rank, rank, 0, 0 };
    uint64_t number = keep(call), at_ps = (here_ == NOBODY ? weir_sim_now(sim_) : now_ps_) + delta_ps;
    if (here_ == NOBODY || here_ == rank) {
        give(number, rank, here_ == NOBODY && at_ps < weir_sim_floor(sim_) ? weir_sim_floor(sim_) : at_ps);
        return;
    }
    late_calls_++;
    const Late late = { number, at_ps, rank };
    late_.push_back(late);
}

/* ---- receiving: by bytes, since one message may fill several receives, and several messages one ---- */

void WeirCluster::match(const std::tuple<uint32_t, uint32_t, int> &key)
{
    for (;;) {
        Flow &flow = flow_[key]; /* found anew: a handler may have changed it */
        if (flow.wanted.empty() || flow.bytes < flow.wanted.front().bytes)
            return;
        Wanted wanted = flow.wanted.front();
        flow.wanted.pop_front();
        flow.bytes -= wanted.bytes;
        if (flow.wanted.empty() && flow.bytes == 0)
            flow_.erase(key);
        if (wanted.handler != nullptr)
            wanted.handler(wanted.arg);
    }
}

void WeirCluster::receive(uint32_t dst, uint32_t src, int tag, uint64_t bytes, Handler handler, void *arg)
{
    const std::tuple<uint32_t, uint32_t, int> key(src, dst, tag);
    const Wanted wanted = { bytes > 0 ? bytes : 1, handler, arg };
    flow_[key].wanted.push_back(wanted);
    match(key);
}

void WeirCluster::on_event(const struct weir_sim_event &event, uint32_t here)
{
    Call call = call_[event.user];
    bool of_timer = event.kind == WEIR_SIM_TIMER;
    here_ = here;
    now_ps_ = event.at_ps;
    if (event.kind == WEIR_SIM_DELIVERED || (of_timer && call.bytes > 0)) {
        const std::tuple<uint32_t, uint32_t, int> key(call.src, call.dst, call.tag);
        flow_[key].bytes += call.bytes;
        match(key);
    }
    if (event.kind == WEIR_SIM_COMPLETED || of_timer) {
        release(event.user);
        if (call.handler != nullptr)
            call.handler(call.arg);
    }
    here_ = NOBODY;
}

void WeirCluster::visit(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    WeirCluster *cluster = static_cast<WeirCluster *>(ctx);
    if (!cluster->error_.empty())
        return;
    try {
        cluster->on_event(*event, here);
    } catch (const std::exception &error) { /* C code is in between: run() throws it */
        cluster->error_ = error.what();
        cluster->here_ = NOBODY;
    }
}

/* ---- ASTRA-sim's calls ---- */

int WeirNetwork::sim_send(void *, uint64_t count, int, int dst, int tag, AstraSim::sim_request *,
                          void (*msg_handler)(void *fun_arg), void *fun_arg)
{
    cluster_.send(static_cast<uint32_t>(rank), static_cast<uint32_t>(dst), tag, count, msg_handler, fun_arg);
    return 0;
}

int WeirNetwork::sim_recv(void *, uint64_t count, int, int src, int tag, AstraSim::sim_request *,
                          void (*msg_handler)(void *fun_arg), void *fun_arg)
{
    cluster_.receive(static_cast<uint32_t>(rank), static_cast<uint32_t>(src), tag, count, msg_handler, fun_arg);
    return 0;
}

void WeirNetwork::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *fun_arg), void *fun_arg)
{
    cluster_.schedule(static_cast<uint32_t>(rank), picoseconds(delta), fun_ptr, fun_arg);
}

/* All ranks have one clock: that of the event at hand, in whole nanoseconds. */
AstraSim::timespec_t WeirNetwork::sim_get_time()
{
    AstraSim::timespec_t time = {};
    time.time_res = AstraSim::NS;
    time.time_val = static_cast<decltype(time.time_val)>(cluster_.now_ps() / PS_PER_NS);
    return time;
}

void WeirNetwork::sim_notify_finished()
{
    cluster_.finished();
}

#ifdef WEIR_ASTRA_SIMAI
int WeirNetwork::sim_init(AstraSim::AstraMemoryAPI *)
{
    return 0;
}

/* SimAI's ranks end by this call: nothing exits, run() returns when all have. */
int WeirNetwork::sim_finish()
{
    cluster_.finished();
    return 0;
}

int WeirNetwork::sim_comm_size(AstraSim::sim_comm, int *size)
{
    *size = static_cast<int>(cluster_.ranks());
    return 0;
}

double WeirNetwork::sim_time_resolution()
{
    return 1;
}
#endif
