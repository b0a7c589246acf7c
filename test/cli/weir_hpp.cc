/* test/cli/weir_hpp.cc - weir/weir.hpp: what objects own goes back when they end, in whatever order they do. cpp.sh
 * builds and runs it; with a sanitizer it shows that nothing is leaked or used too late. */
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>
#include <weir/weir.hpp>

using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<weir::endpoint> && std::is_nothrow_move_constructible_v<weir::endpoint>);
static_assert(!std::is_copy_constructible_v<weir::message> && std::is_nothrow_move_constructible_v<weir::message>);
static_assert(!std::is_copy_constructible_v<weir::peer> && std::is_nothrow_move_assignable_v<weir::peer>);

static int checks, failures;

static bool holds(const char *what, bool is)
{
    checks++;
    if (!is) {
        failures++;
        std::printf("not ok: %s\n", what);
    }
    return is;
}

static weir::endpoint open(const char *address = "127.0.0.1:0")
{
    auto ep = weir::endpoint::open(address);
    if (!ep) {
        std::printf("open: %s\n", weir_open_error());
        std::exit(1);
    }
    return std::move(*ep);
}

/* Polls two endpoints in turn until one has an event. @return an empty message: none came in time */
static weir::message next(weir::endpoint &of, weir::endpoint &other, std::vector<weir::message> &others)
{
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < end) {
        if (auto m = of.next(0ns))
            return std::move(*m);
        if (auto m = other.next(0ns))
            others.push_back(std::move(*m));
    }
    return weir::message();
}

static void calls_are_answered()
{
    weir::endpoint server = open(), client = open();
    auto to = client.find(server.address());
    std::vector<weir::message> at_client;
    if (!holds("a peer", bool(to)))
        return;
    for (int i = 0; i < 2000; i++) {
        const std::string text = "call " + std::to_string(i) + std::string(std::size_t(i % 7) * 1000, 'x');
        holds("a call", !client.call(*to, text, std::uint64_t(i) + 1, { 0, 20s }));
        weir::message request = next(server, client, at_client);
        holds("a request", request.type() == WEIR_EV_CALL && request.data() == text && request.request() != 0);
        holds("a reply", !server.reply(request, std::vector<char>(text.rbegin(), text.rend()), 0, WEIR_COPY));
        std::vector<weir::message> at_server;
        weir::message reply = next(client, server, at_server);
        holds("what was replied", !reply.error() && reply.user_data() == std::uint64_t(i) + 1 &&
                                      reply.data() == std::string(text.rbegin(), text.rend()));
    }
    holds("memory is back", client.stats().tx_bytes_held == 0 && client.stats().ops_pending == 0);
    holds("what was lent, too", client.stats().rx_bytes_held <= 16384 && server.stats().rx_bytes_held <= 16384);
    holds("numbers", client.stats().messages_sent == 2000 && client.fd() >= 0);
}

static void cancelled_calls_end()
{
    weir::endpoint server = open(), client = open();
    auto to = client.find(server.address());
    std::vector<weir::message> requests;
    const std::string text(3000, 'x');
    for (std::uint64_t i = 0; i < 100; i++)
        client.call(*to, text, 7);
    auto cancelled = client.cancel(7);
    holds("all are cancelled", cancelled && *cancelled == 100);
    for (int i = 0; i < 100; i++)
        holds("a call's end", next(client, server, requests).error() == std::errc::operation_canceled);
    auto none = client.next(0ns);
    holds("nothing is left", !none && none.error() == std::errc::timed_out && client.stats().ops_pending == 0);
}

static void peers_of_one_address_share_a_handle()
{
    weir::endpoint ep = open(), other = open();
    auto first = ep.find(other.address());
    {
        auto second = ep.find(other.address());
        holds("one handle", first && second && first->get() == second->get());
    }
    holds("it is still held", first->address() == other.address() && !ep.send(*first, "x", 0, WEIR_COPY));
    weir::peer moved = std::move(*first);
    holds("a peer moves", moved.get() != nullptr && first->get() == nullptr);
    holds("no peer any more", ep.send(*first, "x") == std::errc::bad_file_descriptor);
    weir_peer *handle = moved.get();
    moved = weir::peer();
    holds("it was given back", weir_peer_put(ep.get(), handle) == -EINVAL);
}

static void messages_and_peers_outlive_their_endpoint()
{
    std::vector<weir::message> rest;
    weir::message message;
    weir::peer sender;
    {
        weir::endpoint client = open(), server = open();
        auto to = client.find(server.address());
        client.send(*to, std::string(100000, 'x'), 0, WEIR_COPY);
        message = next(server, client, rest);
        holds("a message", message.data().size() == 100000);
        auto kept = server.find(message);
        holds("its sender", kept && kept->address() == client.address());
        sender = std::move(*kept);
        weir::endpoint elsewhere = std::move(server);
        holds("an endpoint moves",
              server.get() == nullptr && elsewhere.get() != nullptr && message.sender() != nullptr);
    }
    holds("a message of no endpoint",
          message.data().empty() && message.sender() == nullptr && sender.address().empty());
}

static void errors_are_codes()
{
    weir::endpoint ep = open(), closed = open();
    weir::message none;
    auto again = weir::endpoint::open(ep.address().c_str());
    holds("a port in use",
          !again && again.error() == std::errc::address_in_use && again.error().category() == weir::category());
    for (const char *address : { "", "nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:123456",
                                 "127.0.0.1:x", "[::1:7", "[::1]:7", "127.0.0.1:0", "0.0.0.0:7", ":7" })
        holds(address, ep.find(address).error() == std::errc::invalid_argument);
    auto nobody = ep.find("127.0.0.77:9");
    std::vector<weir::message> rest;
    holds("a call", nobody && !ep.call(*nobody, "hello"));
    auto end = next(ep, closed, rest);
    holds("nobody",
          end.error() == std::errc::connection_refused && end.error().message().find("nobody has this port") == 0);
    holds("what the kernel said", nobody->error().find("127.0.0.77:9") == 0);
    holds("no such request", ep.reply(std::uint64_t(1) << 40, "x") == std::errc::no_such_file_or_directory);
    holds("a peer of another endpoint", closed.call(*nobody, "x") == std::errc::invalid_argument);
    holds("a deadline that has passed",
          !ep.send(*nobody, "x", 9, { 0, -1s }) && next(ep, closed, rest).error() == std::errc::timed_out);
    auto to = closed.find(ep.address());
    closed.close();
    closed.close();
    holds("call", closed.call(*to, "x") == std::errc::bad_file_descriptor);
    holds("reply", closed.reply(none, "x") == std::errc::bad_file_descriptor);
    holds("next", closed.next().error() == std::errc::bad_file_descriptor);
    holds("find", closed.find("127.0.0.1:7").error() == std::errc::bad_file_descriptor);
    holds("cancel", closed.cancel(1).error() == std::errc::bad_file_descriptor && closed.shutdown() && closed.wake());
    holds("what is left", closed.address().empty() && closed.fd() == -1 && closed.deadline() == UINT64_MAX &&
                              closed.stats().peers == 0);
    holds("a wake-up", !ep.wake() && ep.next().error() == std::errc::interrupted);
    sockaddr_storage at;
    holds("IPv6",
          weir::to_sockaddr("[fd00::2]:7000", &at) == sizeof(sockaddr_in6) && weir::to_string(at) == "[fd00::2]:7000");
}

int main()
{
    calls_are_answered();
    cancelled_calls_end();
    peers_of_one_address_share_a_handle();
    messages_and_peers_outlive_their_endpoint();
    errors_are_codes();
    std::printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
