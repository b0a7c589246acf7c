/* examples/astra/test_ring.cc - what ASTRA-sim's system layer does, in small: ranks that send, receive, compute and finish
 * by the calls of network_api.hh. Times are computed by hand. */
#include "weir_network.hh"
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace
{

const uint64_t US = 1000000;
/* Of 1460 B: 1538 B at 800 ps each over two links, two delays; the way back of an ACK of 84 B. */
const uint64_t ONE_PS = 2 * 1538 * 800 + 2 * 2 * US, ACK_PS = 2 * 84 * 800 + 2 * 2 * US;
const char SCENARIO[] = "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 2 us}\n"
                        "protocol: dctcp\nframing: {payload: 1460 B, header: 58 B, ack_wire: 84 B}\n"
                        "traffic: [{kind: session}]\nrun: {warmup: 0 us, measure: all}\n";
int failures;

void holds(const char *what, bool condition)
{
    if (!condition)
        (void)std::printf("not ok: %s\n", what);
    failures += !condition;
}

struct Rank;

struct World {
    WeirCluster cluster;
    std::vector<std::unique_ptr<Rank>> rank;
    explicit World(uint32_t ranks);
};

struct Rank { /* passes a chunk on round the ring, as often as an all-reduce does */
    WeirCluster &cluster;
    WeirNetwork network;
    int number, ranks, step;
    uint64_t sent_ps, received_ps;
    Rank(WeirCluster &c, int rank, int of)
        : cluster(c), network(c, rank), number(rank), ranks(of), step(0), sent_ps(0), received_ps(0)
    {
    }
};

World::World(uint32_t ranks) : cluster(SCENARIO, ranks)
{
    for (uint32_t r = 0; r < ranks; r++)
        rank.emplace_back(new Rank(cluster, static_cast<int>(r), static_cast<int>(ranks)));
}

void ring_step(Rank *r);

void ring_received(void *arg)
{
    Rank *r = static_cast<Rank *>(arg);
    r->received_ps = r->cluster.now_ps();
    r->step++;
    if (r->step == 2 * (r->ranks - 1))
        r->network.sim_notify_finished();
    else
        ring_step(r);
}

void ring_step(Rank *r)
{
    int next = (r->number + 1) % r->ranks, before = (r->number + r->ranks - 1) % r->ranks;
    (void)r->network.sim_send(nullptr, 1460, 0, next, r->step, nullptr, nullptr, nullptr);
    (void)r->network.sim_recv(nullptr, 1460, 0, before, r->step, nullptr, ring_received, r);
}

/* Every rank sends at once to its neighbour: no two share a port, but an ACK goes before data, and its port is that of
 * the next chunk. So a step takes the time of one chunk, and from the second on that of an ACK of 84 B at two ports. */
void a_ring()
{
    World w(4);
    for (auto &r : w.rank)
        ring_step(r.get());
    holds("all ranks finish", w.cluster.run());
    holds("no call was late", w.cluster.late_calls() == 0);
    for (auto &r : w.rank)
        holds("the last of six steps", r->received_ps >= 6 * ONE_PS && r->received_ps <= 6 * ONE_PS + 5 * 2 * 84 * 800);
    uint64_t digest = w.cluster.digest();
    World again(4);
    for (auto &r : again.rank)
        ring_step(r.get());
    (void)again.cluster.run();
    holds("twice the same", again.cluster.digest() == digest);
}

struct Note {
    WeirCluster *cluster;
    WeirNetwork *network;
    std::vector<uint64_t> at_ps;
};

void note(void *arg)
{
    Note *n = static_cast<Note *>(arg);
    n->at_ps.push_back(n->cluster->now_ps());
}

void note_and_finish(void *arg)
{
    note(arg);
    static_cast<Note *>(arg)->network->sim_notify_finished();
}

/* One message fills two receives, of which one comes after the message; two messages fill one receive. */
void receives_are_by_bytes()
{
    WeirCluster cluster(SCENARIO, 2);
    WeirNetwork a(cluster, 0), b(cluster, 1);
    Note sent = { &cluster, &a, {} }, got = { &cluster, &b, {} }, late = { &cluster, &b, {} };
    (void)b.sim_recv(nullptr, 400, 0, 0, 5, nullptr, note, &got);
    (void)a.sim_send(nullptr, 1460, 0, 1, 5, nullptr, note, &sent);
    holds("nothing finishes", !cluster.run());
    holds("the first receive", got.at_ps.size() == 1 && got.at_ps[0] == ONE_PS);
    holds("the sender knows later", sent.at_ps.size() == 1 && sent.at_ps[0] == ONE_PS + ACK_PS);
    (void)b.sim_recv(nullptr, 1060, 0, 0, 5, nullptr, note, &late);
    holds("what has arrived is received at once", late.at_ps.size() == 1);
    (void)b.sim_recv(nullptr, 2920, 0, 0, 5, nullptr, note, &got);
    (void)a.sim_send(nullptr, 1460, 0, 1, 6, nullptr, nullptr, nullptr); /* another tag */
    (void)a.sim_send(nullptr, 1460, 0, 1, 5, nullptr, nullptr, nullptr);
    (void)cluster.run();
    holds("half of it is not enough", got.at_ps.size() == 1);
    (void)a.sim_send(nullptr, 1460, 0, 1, 5, nullptr, nullptr, nullptr);
    (void)cluster.run();
    holds("two messages fill it", got.at_ps.size() == 2);
}

void time_and_finishing()
{
    WeirCluster cluster(SCENARIO, 2);
    WeirNetwork a(cluster, 0), b(cluster, 1);
    Note first = { &cluster, &a, {} }, second = { &cluster, &b, {} };
    AstraSim::timespec_t delta = {};
    delta.time_res = AstraSim::US;
    delta.time_val = 3;
    a.sim_schedule(delta, note_and_finish, &first);
    delta.time_res = AstraSim::NS;
    delta.time_val = 7000;
    b.sim_schedule(delta, note_and_finish, &second);
    holds("both finish", cluster.run());
    holds("3 us", first.at_ps.size() == 1 && first.at_ps[0] == 3 * US);
    holds("7000 ns", second.at_ps.size() == 1 && second.at_ps[0] == 7 * US);
    holds("the clock, in nanoseconds", a.sim_get_time().time_val == 7000 && b.sim_get_time().time_res == AstraSim::NS);
#ifdef WEIR_ASTRA_SIMAI
    int size = 0;
    AstraSim::sim_comm comm = {};
    holds("ranks", a.sim_comm_size(comm, &size) == 0 && size == 2);
#endif
}

void to_itself()
{
    WeirCluster cluster(SCENARIO, 1);
    WeirNetwork a(cluster, 0);
    Note got = { &cluster, &a, {} };
    (void)a.sim_recv(nullptr, 10, 0, 0, 1, nullptr, note_and_finish, &got);
    (void)a.sim_send(nullptr, 10, 0, 0, 1, nullptr, nullptr, nullptr);
    holds("a message to the rank itself", cluster.run() && got.at_ps.size() == 1 && got.at_ps[0] == 0);
}

void send_for_another(void *arg)
{
    Note *n = static_cast<Note *>(arg);
    note(arg);
    (void)n->network->sim_send(nullptr, 1460, 0, 0, 2, nullptr, nullptr, nullptr);
}

/* In the visit of rank 1 rank 2 sends: it does so a reaction later, 2 us, and that is counted. */
void a_call_for_another_rank()
{
    WeirCluster cluster(SCENARIO, 3);
    WeirNetwork a(cluster, 0), b(cluster, 1), c(cluster, 2);
    Note got = { &cluster, &c, {} }, end = { &cluster, &a, {} };
    (void)b.sim_recv(nullptr, 1460, 0, 0, 1, nullptr, send_for_another, &got);
    (void)a.sim_recv(nullptr, 1460, 0, 2, 2, nullptr, note, &end);
    (void)a.sim_send(nullptr, 1460, 0, 1, 1, nullptr, nullptr, nullptr);
    (void)cluster.run();
    holds("it was late", cluster.late_calls() == 1 && got.at_ps.size() == 1);
    holds("a reaction later", end.at_ps.size() == 1 && end.at_ps[0] == got.at_ps[0] + 2 * US + ONE_PS);
}

void fail(void *)
{
    throw std::runtime_error("a handler failed");
}

template <typename F> void throws(const char *what, const char *sentence, F f)
{
    try {
        f();
        holds(what, false);
    } catch (const std::exception &error) {
        holds(what, std::string(error.what()) == sentence);
    }
}

void refusals()
{
    throws("a scenario", "scenario:1:1: unknown key 'topologie' in the scenario",
           [] { WeirCluster cluster("topologie: {}\n", 1); });
    throws("too many ranks", "5 ranks: the scenario has 4 hosts", [] { WeirCluster cluster(SCENARIO, 5); });
    throws("a rank that does not exist", "host 9: the topology has hosts 0 to 3", [] {
        WeirCluster cluster(SCENARIO, 2);
        WeirNetwork a(cluster, 0);
        (void)a.sim_send(nullptr, 1, 0, 9, 0, nullptr, nullptr, nullptr);
        (void)cluster.run();
    });
    throws("a handler that throws", "a handler failed", [] {
        WeirCluster cluster(SCENARIO, 1);
        WeirNetwork a(cluster, 0);
        a.sim_schedule(AstraSim::timespec_t(), fail, nullptr);
        (void)cluster.run();
    });
}

} // namespace

int main()
{
    a_ring();
    receives_are_by_bytes();
    time_and_finishing();
    to_itself();
    a_call_for_another_rank();
    refusals();
    (void)std::printf("%d failures\n", failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
