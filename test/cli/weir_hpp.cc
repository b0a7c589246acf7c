/* test/cli/weir_hpp.cc - weir/weir.hpp: what objects own goes back when they end, in whatever order they do. cpp.sh
 * builds and runs it; with a sanitizer it shows that nothing is leaked or used too late. */
#include <cstdio>
#include <cstdlib>
#include <thread>
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

static weir::endpoint open(std::uint32_t flags = 0)
{
    weir::options options("127.0.0.1:0");
    options.flags = flags;
    auto ep = weir::endpoint::open(options);
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

static void errors_of_applications_come_with_their_message()
{
    weir::endpoint server = open(), client = open();
    auto to = client.find(server.address());
    std::vector<weir::message> rest;
    for (std::uint32_t error : { std::uint32_t(1), std::uint32_t(WEIR_APP_ERROR_MAX) }) {
        client.call(*to, "seven", error);
        weir::message request = next(server, client, rest);
        holds("no error",
              server.reply_error(request, 0) == std::errc::invalid_argument &&
                  server.reply_error(request.request(), WEIR_APP_ERROR_MAX + 1) == std::errc::invalid_argument);
        holds("an error", error == 1 ? !server.reply_error(request, error, "not a number")
                                     : !server.reply_error(request.request(), error, "not a number", 0, { WEIR_COPY }));
        holds("again", server.reply_error(request, error) == std::errc::no_such_file_or_directory);
        weir::message end = next(client, server, rest);
        holds("what was answered", end.application_error() == error && end.data() == "not a number" &&
                                       end.user_data() == error && end.error().value() == int(WEIR_APP_ERROR + error));
        holds("its sentence", end.error().message() == "an error of the peer's application");
    }
    client.call(*to, "wait");
    weir::message request = next(server, client, rest);
    holds("a request is no error", request.application_error() == 0);
    client.cancel(0);
    holds("nor is a failure of the transport", next(client, server, rest).application_error() == 0);
}

static void one_operation_is_cancelled()
{
    weir::endpoint server = open(), client = open();
    auto to = client.find(server.address());
    std::vector<weir::message> rest;
    holds("none was accepted", client.last_op() == 0);
    client.call(*to, "one", 1);
    const std::uint64_t one = client.last_op();
    client.call(*to, "two", 2);
    holds("one of two", one != client.last_op() && !client.cancel_op(one));
    weir::message end = next(client, server, rest);
    holds("its end", end.user_data() == 1 && end.error() == std::errc::operation_canceled);
    holds("it has ended", client.cancel_op(one) == std::errc::no_such_file_or_directory);
    holds("the other goes on", client.stats().ops_pending == 1);
}

static void connections_are_reported_and_counted()
{
    weir::endpoint server = open(WEIR_OPEN_PEER_EVENTS);
    std::vector<weir::message> rest;
    weir::peer from;
    {
        weir::endpoint client = open();
        auto to = client.find(server.address());
        client.send(*to, "hello");
        weir::message up = next(server, client, rest);
        holds("a connection", up.type() == WEIR_EV_PEER_UP && !up.error());
        auto sender = server.find(up);
        holds("its address", sender && sender->address() == client.address());
        from = std::move(*sender);
        holds("its message", next(server, client, rest).data() == "hello");
        auto found = server.stats(from);
        holds("its counters", found && found->connected == 1 && found->messages_received == 1 &&
                                  found->bytes_received == 5 && server.stats().messages_received == 1);
        holds("a peer of another endpoint", client.stats(from).error() == std::errc::invalid_argument);
        holds("no peer", server.stats(weir::peer()).error() == std::errc::bad_file_descriptor);
    }
    weir::endpoint other = open();
    weir::message down = next(server, other, rest);
    holds("its end", down.type() == WEIR_EV_PEER_DOWN && down.error() == std::errc::connection_reset);
    auto found = server.stats(from);
    holds("counters that stay", found && found->connected == 0 && found->resets == 1);
    const std::string text = server.metrics();
    holds("a text", text.find("weir_messages_received_total 1\n") != std::string::npos && text.size() > 6 &&
                        text.compare(text.size() - 6, 6, "# EOF\n") == 0);
}

static void other_threads_post()
{
    weir::endpoint ep = open();
    int number = 7;
    std::thread([&] { holds("a post", !ep.post(5, &number)); }).join();
    auto posted = ep.next();
    holds("it comes", posted && posted->type() == WEIR_EV_POSTED && posted->user_data() == 5);
    holds("with its pointer", posted->posted() == &number && posted->data().empty() && posted->sender() == nullptr);
    std::vector<weir::message> rest;
    weir::endpoint client = open();
    auto to = client.find(ep.address());
    client.send(*to, "hello");
    holds("a message was not posted", next(ep, client, rest).posted() == nullptr);
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
    holds("error", closed.reply_error(none, 1) == std::errc::bad_file_descriptor &&
                       closed.reply_error(std::uint64_t(1), 1) == std::errc::bad_file_descriptor);
    holds("cancel one", closed.cancel_op(1) == std::errc::bad_file_descriptor && closed.last_op() == 0);
    holds("post", closed.post(1) == std::errc::bad_file_descriptor);
    holds("counters", closed.stats(*to).error() == std::errc::bad_file_descriptor && closed.metrics().empty());
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
    errors_of_applications_come_with_their_message();
    one_operation_is_cancelled();
    connections_are_reported_and_counted();
    other_threads_post();
    errors_are_codes();
    std::printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
