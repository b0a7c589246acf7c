/* weir/weir.hpp - weir.h for C++17: endpoints, messages and peers that give back what they own when they end.
 *
 *     auto ep = weir::endpoint::open({ "10.0.0.1:0" });
 *     auto to = ep->find("10.0.0.2:7000");
 *     ep->call(*to, "hello", 1, { 0, std::chrono::seconds(1) });
 *     auto reply = ep->next();           // a weir::message: its memory is lent until it ends
 *
 * The contract is weir.h's: an endpoint belongs to one thread, with its messages and peers, and the library borrows what
 * is sent until the event of the operation. Nothing throws, and the header compiles with -fno-exceptions. What may fail returns a std::error_code,
 * or a weir::result, which has a value or a std::error_code. Codes are errno values of weir::category(), so that they
 * compare with std::errc, and message() has the sentence of weir_strerror().
 *
 * An endpoint is opened with WEIR_OPEN_LEND_PEERS: a handle that comes with a message is valid until next() polls again.
 * A weir::peer stays valid as long as it exists. The context of weir_peer_set_context() is this header's. Messages and
 * peers may outlive their endpoint: they are empty then. */
#ifndef WEIR_WEIR_HPP
#define WEIR_WEIR_HPP
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <netinet/in.h>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <weir/weir.h>

namespace weir
{

/* Returns the category of all error codes of this header. */
inline const std::error_category &category() noexcept
{
    struct errors final : std::error_category {
        const char *name() const noexcept override
        {
            return "weir";
        }
        std::string message(int code) const override
        {
            return weir_strerror(-code);
        }
        std::error_condition default_error_condition(int code) const noexcept override
        {
            return std::error_condition(code, std::generic_category());
        }
    };
    static const errors only;
    return only;
}

/* Returns the error code of a result of weir.h: none if it is 0 or more. */
inline std::error_code error_of(int result) noexcept
{
    return std::error_code(result < 0 ? -result : 0, category());
}

/* A value, or why there is none. * and -> are for a value that is there. */
template <class T> class result
{
  public:
    result(T &&value) noexcept : held(std::in_place_index<0>, std::move(value))
    {
    }
    result(std::error_code error) noexcept : held(std::in_place_index<1>, error)
    {
    }
    explicit operator bool() const noexcept
    {
        return held.index() == 0;
    }
    std::error_code error() const noexcept
    {
        const std::error_code *code = std::get_if<1>(&held);
        return code != nullptr ? *code : error_of(0);
    }
    T &operator*() noexcept
    {
        return *std::get_if<0>(&held);
    }
    T *operator->() noexcept
    {
        return std::get_if<0>(&held);
    }

  private:
    std::variant<T, std::error_code> held;
};

/* What is to be sent, borrowed: of a pointer and a size, a text, or what has data() and size(), as std::vector. */
class bytes
{
  public:
    bytes(const void *data, std::size_t size) noexcept : iov{ const_cast<void *>(data), size }
    {
    }
    bytes(const char *text) noexcept : bytes(text, std::strlen(text))
    {
    }
    template <class C, class = decltype(std::declval<const C &>().data() + std::declval<const C &>().size())>
    bytes(const C &c) noexcept : bytes(c.data(), c.size() * sizeof(*c.data()))
    {
    }
    iovec iov;
};

using counters = struct ::weir_stats; /* a function has this name, too */

/* struct weir_opts with its size, and the defaults. Texts must stay until open() has returned. */
struct options : weir_opts {
    options(const char *bind_to = nullptr, const char *protocol = nullptr) noexcept : weir_opts()
    {
        size = sizeof(weir_opts);
        bind = bind_to;
        cc = protocol;
    }
};

/* struct weir_sendopt with its size: flags of enum weir_flag; within: the deadline, 0 = none. */
struct send_options : weir_sendopt {
    send_options(std::uint32_t how = 0, std::chrono::nanoseconds within = std::chrono::nanoseconds(0)) noexcept
        : weir_sendopt()
    {
        size = sizeof(weir_sendopt);
        flags = how;
        deadline_ns = within.count() < 0 ? 1 : static_cast<std::uint64_t>(within.count());
    }
};

/* Writes a struct sockaddr as "ADDRESS:PORT" or "[ADDRESS]:PORT". */
inline std::string to_string(const sockaddr_storage &address)
{
    const auto *four = reinterpret_cast<const sockaddr_in *>(&address); /* sin_port is where sin6_port is */
    const auto *six = reinterpret_cast<const sockaddr_in6 *>(&address);
    const bool is_six = address.ss_family == AF_INET6;
    char host[INET6_ADDRSTRLEN] = "";
    inet_ntop(address.ss_family, is_six ? static_cast<const void *>(&six->sin6_addr) : &four->sin_addr, host,
              sizeof(host));
    return (is_six ? "[" + std::string(host) + "]:" : std::string(host) + ":") + std::to_string(ntohs(four->sin_port));
}

/* Reads "ADDRESS:PORT" or "[ADDRESS]:PORT". @return the length of the address; 0: it is none */
inline socklen_t to_sockaddr(std::string_view text, sockaddr_storage *address) noexcept
{
    const std::size_t colon = text.rfind(':');
    auto *four = reinterpret_cast<sockaddr_in *>(address);
    auto *six = reinterpret_cast<sockaddr_in6 *>(address);
    char host[INET6_ADDRSTRLEN] = "";
    std::uint16_t port = 0;
    if (colon == std::string_view::npos)
        return 0;
    const char *end = text.data() + text.size();
    const auto number = std::from_chars(text.data() + colon + 1, end, port);
    const bool is_six = colon > 2 && text[0] == '[' && text[colon - 1] == ']';
    const std::string_view name = is_six ? text.substr(1, colon - 2) : text.substr(0, colon);
    if (number.ec != std::errc() || number.ptr != end || name.size() >= sizeof(host))
        return 0;
    name.copy(host, name.size());
    *address = sockaddr_storage();
    address->ss_family = is_six ? AF_INET6 : AF_INET;
    four->sin_port = htons(port); /* sin_port is where sin6_port is */
    if (inet_pton(address->ss_family, host, is_six ? static_cast<void *>(&six->sin6_addr) : &four->sin_addr) != 1)
        return 0;
    return is_six ? sizeof(*six) : sizeof(*four);
}

namespace detail
{
/* An endpoint and its users: the record lives as long as any of them. ep: nullptr = it is closed. */
struct state {
    weir_ep *ep = nullptr;
    std::size_t users = 0;
    int count = 0, next = 0; /* events that the last weir_poll() returned, and which of them is next */
    weir_event events[64];
};

/* A counted pointer to a state, of one thread. */
struct link {
    state *s = nullptr;
    link() noexcept = default;
    explicit link(state *to) noexcept : s(to)
    {
        if (s != nullptr)
            s->users++;
    }
    link(const link &other) noexcept : link(other.s)
    {
    }
    link(link &&other) noexcept : s(std::exchange(other.s, nullptr))
    {
    }
    link &operator=(link other) noexcept
    {
        std::swap(s, other.s);
        return *this;
    }
    ~link()
    {
        if (s != nullptr && --s->users == 0)
            delete s;
    }
    weir_ep *ep() const noexcept
    {
        return s != nullptr ? s->ep : nullptr;
    }
};
} // namespace detail

/* Another endpoint. Its handle is held until the last peer of the same address ends. */
class peer
{
  public:
    peer() noexcept = default;
    peer(peer &&other) noexcept : of(std::move(other.of)), handle(std::exchange(other.handle, nullptr))
    {
    }
    peer &operator=(peer other) noexcept
    {
        std::swap(of, other.of);
        std::swap(handle, other.handle);
        return *this;
    }
    ~peer()
    {
        if (of.ep() == nullptr || handle == nullptr)
            return;
        const std::uintptr_t users = reinterpret_cast<std::uintptr_t>(weir_peer_context(handle)) - 1;
        weir_peer_set_context(handle, reinterpret_cast<void *>(users));
        if (users == 0)
            weir_peer_put(of.s->ep, handle);
    }
    /* Returns the handle; nullptr: the endpoint is closed. */
    weir_peer *get() const noexcept
    {
        return of.ep() != nullptr ? handle : nullptr;
    }
    std::string address() const
    {
        sockaddr_storage found = sockaddr_storage();
        socklen_t length = sizeof(found);
        return get() != nullptr && weir_peer_address(handle, reinterpret_cast<sockaddr *>(&found), &length) == 0
                   ? to_string(found)
                   : "";
    }
    /* Returns what weir_peer_error() says. */
    std::string_view error() const noexcept
    {
        return get() != nullptr ? weir_peer_error(handle) : "";
    }

  private:
    friend class endpoint;
    peer(detail::link to, weir_peer *found) noexcept : of(std::move(to)), handle(found)
    {
        const std::uintptr_t users = reinterpret_cast<std::uintptr_t>(weir_peer_context(handle)) + 1;
        weir_peer_set_context(handle, reinterpret_cast<void *>(users));
    }
    detail::link of;
    weir_peer *handle = nullptr;
};

/* An event, and the memory that it lends until the message ends. */
class message
{
  public:
    message() noexcept = default;
    message(message &&other) noexcept : of(std::move(other.of)), event(std::exchange(other.event, weir_event()))
    {
    }
    message &operator=(message other) noexcept
    {
        std::swap(of, other.of);
        std::swap(event, other.event);
        return *this;
    }
    ~message()
    {
        release();
    }
    /* Gives the memory back before the message ends. */
    void release() noexcept
    {
        if (of.ep() != nullptr && event.lease != nullptr)
            weir_release(of.s->ep, event.lease);
        event.lease = nullptr;
        event.data = nullptr;
        event.len = 0;
    }
    weir_event_type type() const noexcept
    {
        return static_cast<weir_event_type>(event.type);
    }
    /* Returns how the operation ended. */
    std::error_code error() const noexcept
    {
        return error_of(event.result);
    }
    /* Returns the payload; empty: there is none, or the endpoint is closed. */
    std::string_view data() const noexcept
    {
        if (event.data == nullptr || of.ep() == nullptr)
            return std::string_view();
        return std::string_view(static_cast<const char *>(event.data), event.len);
    }
    std::uint64_t user_data() const noexcept
    {
        return event.user_data;
    }
    /* Returns the number of the request, for endpoint::reply(); 0 = no reply is expected. */
    std::uint64_t request() const noexcept
    {
        return event.rpc;
    }
    /* Returns the sender's handle, valid until next() polls again; nullptr: there is none, or the endpoint is closed. */
    weir_peer *sender() const noexcept
    {
        return of.ep() != nullptr ? event.peer : nullptr;
    }

  private:
    friend class endpoint;
    message(detail::link to, const weir_event &of_poll) noexcept : of(std::move(to)), event(of_poll)
    {
    }
    detail::link of;
    weir_event event = weir_event();
};

/* One UDP port. It is closed when it ends; one that was moved from is closed, too. */
class endpoint
{
  public:
    /* Opens an endpoint; weir_open_error() has a sentence on why it failed. */
    static result<endpoint> open(options opts = options()) noexcept
    {
        endpoint made(detail::link(new (std::nothrow) detail::state));
        if (made.of.s == nullptr)
            return error_of(-ENOMEM);
        opts.flags |= WEIR_OPEN_LEND_PEERS;
        const int code = weir_open(&made.of.s->ep, &opts);
        if (code < 0)
            return error_of(code);
        return result<endpoint>(std::move(made));
    }
    endpoint(endpoint &&other) noexcept = default;
    endpoint &operator=(endpoint other) noexcept
    {
        std::swap(of, other.of);
        return *this;
    }
    ~endpoint()
    {
        close();
    }
    void close() noexcept
    {
        if (of.ep() == nullptr)
            return;
        weir_close(std::exchange(of.s->ep, nullptr));
        of.s->count = of.s->next = 0;
    }
    /* Returns the handle, for calls that this header lacks; nullptr: it is closed. */
    weir_ep *get() const noexcept
    {
        return of.ep();
    }

    /* Finds the peer at an address: "10.0.0.2:7000" or "[fd00::2]:7000". */
    result<peer> find(std::string_view address) noexcept
    {
        sockaddr_storage at;
        const socklen_t length = to_sockaddr(address, &at);
        return length != 0 ? find(at, length) : result<peer>(error_of(-EINVAL));
    }
    result<peer> find(const sockaddr_storage &address, socklen_t length) noexcept
    {
        weir_peer *found = nullptr;
        const int code = get() == nullptr
                             ? -EBADF
                             : weir_peer_get(get(), reinterpret_cast<const sockaddr *>(&address), length, &found);
        if (code < 0)
            return error_of(code);
        return peer(of, found);
    }
    /* Keeps the sender of a message. */
    result<peer> find(const message &m) noexcept
    {
        sockaddr_storage at = sockaddr_storage();
        socklen_t length = sizeof(at);
        if (m.sender() == nullptr || weir_peer_address(m.sender(), reinterpret_cast<sockaddr *>(&at), &length) < 0)
            return error_of(-EINVAL);
        return find(at, length);
    }

    /* Submit operations. Each ends in one message, which has user_data. */
    std::error_code send(const peer &to, const bytes &data, std::uint64_t user_data = 0,
                         const send_options &opt = send_options()) noexcept
    {
        return submit(to.of, weir_send, to.handle, data, user_data, opt);
    }
    std::error_code call(const peer &to, const bytes &data, std::uint64_t user_data = 0,
                         const send_options &opt = send_options()) noexcept
    {
        return submit(to.of, weir_call, to.handle, data, user_data, opt);
    }
    std::error_code reply(const message &request, const bytes &data, std::uint64_t user_data = 0,
                          const send_options &opt = send_options()) noexcept
    {
        return submit(request.of, weir_reply, request.request(), data, user_data, opt);
    }
    std::error_code reply(std::uint64_t request, const bytes &data, std::uint64_t user_data = 0,
                          const send_options &opt = send_options()) noexcept
    {
        return submit(of, weir_reply, request, data, user_data, opt);
    }
    /* Cancels all operations with this user_data; each still ends in its message. */
    result<int> cancel(std::uint64_t user_data) noexcept
    {
        int count = get() == nullptr ? -EBADF : weir_cancel(get(), user_data);
        return count < 0 ? result<int>(error_of(count)) : result<int>(std::move(count));
    }
    std::error_code shutdown() noexcept
    {
        return error_of(get() == nullptr ? -EBADF : weir_shutdown(get()));
    }

    /* Waits for the next event, for ever if within is below 0. @return the message; ETIMEDOUT: none came in time; EINTR:
     * a signal, or wake(); other results of weir_poll(); EBADF: the endpoint is closed */
    result<message> next(std::chrono::nanoseconds within = std::chrono::nanoseconds(-1)) noexcept
    {
        if (get() == nullptr)
            return error_of(-EBADF);
        if (of.s->next == of.s->count) {
            of.s->count = of.s->next = 0;
            const int found =
                weir_poll(get(), of.s->events, sizeof(of.s->events) / sizeof(of.s->events[0]), within.count());
            if (found <= 0)
                return error_of(found == 0 ? -ETIMEDOUT : found);
            of.s->count = found;
        }
        return message(of, of.s->events[of.s->next++]);
    }
    /* Ends a next() that sleeps; other threads and signal handlers may call it. */
    std::error_code wake() noexcept
    {
        return error_of(get() == nullptr ? -EBADF : weir_wake(get()));
    }
    /* For event loops: call next(0) until there is none when fd() is readable, and at deadline(), in nanoseconds of
     * CLOCK_MONOTONIC. */
    int fd() const noexcept
    {
        return get() != nullptr ? weir_fd(get()) : -1;
    }
    std::uint64_t deadline() const noexcept
    {
        return get() == nullptr ? UINT64_MAX : of.s->next < of.s->count ? 0 : weir_deadline(get());
    }

    std::string address() const
    {
        sockaddr_storage found = sockaddr_storage();
        socklen_t length = sizeof(found);
        return get() != nullptr && weir_address(get(), reinterpret_cast<sockaddr *>(&found), &length) == 0
                   ? to_string(found)
                   : "";
    }
    counters stats() const noexcept
    {
        counters found = counters();
        found.size = sizeof(found);
        if (get() != nullptr)
            weir_stats(get(), &found);
        return found;
    }

  private:
    explicit endpoint(detail::link to) noexcept : of(std::move(to))
    {
    }
    /* Calls weir_send(), weir_call() or weir_reply(). owner: the endpoint of the peer, or of the request. */
    template <class Function, class Target>
    std::error_code submit(const detail::link &owner, Function function, Target target, const bytes &data,
                           std::uint64_t user_data, const send_options &opt) noexcept
    {
        if (get() == nullptr || owner.ep() == nullptr)
            return error_of(-EBADF);
        return error_of(owner.s != of.s ? -EINVAL : function(get(), target, &data.iov, 1, user_data, &opt));
    }
    detail::link of;
};

} // namespace weir
#endif
