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
 * compare with std::errc, and message() has the sentence of weir_strerror(). An error of the peer's application has a code
 * that no errno has, and message::application_error() is its number.
 *
 * An endpoint is opened with WEIR_OPEN_LEND_PEERS: a handle that comes with a message is valid until next() polls again.
 * A weir::peer stays valid as long as it exists. The context of weir_peer_set_context() is this header's. Messages and
 * peers may outlive their endpoint: they are empty then. */
#ifndef WEIR_WEIR_HPP
#define WEIR_WEIR_HPP
#include <new>
#include <weir/base.hpp>

namespace weir
{

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
    /* Returns the error of the peer's application by which a call ended, see reply_error(); 0: there is none. */
    std::uint32_t application_error() const noexcept
    {
        return static_cast<std::uint32_t>(WEIR_APP_ERROR_OF(event.result));
    }
    /* Returns the payload; empty: there is none, or the endpoint is closed. */
    std::string_view data() const noexcept
    {
        if (event.data == nullptr || of.ep() == nullptr)
            return std::string_view();
        return std::string_view(static_cast<const char *>(event.data), event.len);
    }
    /* Returns the pointer of endpoint::post(). */
    const void *posted() const noexcept
    {
        return event.type == WEIR_EV_POSTED ? event.data : nullptr;
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
    /* Answers a request with an error of the application, 1 .. WEIR_APP_ERROR_MAX: message::application_error() there. */
    std::error_code reply_error(const message &request, std::uint32_t error, const bytes &data = "",
                                std::uint64_t user_data = 0, const send_options &opt = send_options()) noexcept
    {
        return submit(request.of, answer_with{ error }, request.request(), data, user_data, opt);
    }
    std::error_code reply_error(std::uint64_t request, std::uint32_t error, const bytes &data = "",
                                std::uint64_t user_data = 0, const send_options &opt = send_options()) noexcept
    {
        return submit(of, answer_with{ error }, request, data, user_data, opt);
    }
    /* Returns the handle of the operation that was accepted last, for cancel_op(); 0: there is none. */
    std::uint64_t last_op() const noexcept
    {
        return get() != nullptr ? weir_last_op(get()) : 0;
    }
    /* Cancels one operation, which still ends in its message. */
    std::error_code cancel_op(std::uint64_t op) noexcept
    {
        return error_of(get() == nullptr ? -EBADF : weir_cancel_op(get(), op));
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
    /* Adds a message of type WEIR_EV_POSTED, which has user_data() and posted(); other threads and signal handlers may
     * call it. The pointer is handed over as it is. */
    std::error_code post(std::uint64_t user_data, const void *data = nullptr) noexcept
    {
        return error_of(get() == nullptr ? -EBADF : weir_post(get(), user_data, data));
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
    result<peer_counters> stats(const peer &of_peer) const noexcept
    {
        peer_counters found = peer_counters();
        found.size = sizeof(found);
        const int code =
            get() == nullptr || of_peer.get() == nullptr ? -EBADF : weir_peer_stats(get(), of_peer.handle, &found);
        return code < 0 ? result<peer_counters>(error_of(code)) : result<peer_counters>(std::move(found));
    }
    /* Returns the counters of stats() as OpenMetrics text; empty: the endpoint is closed. */
    std::string metrics() const
    {
        std::string text;
        if (get() == nullptr)
            return text;
        text.resize(static_cast<std::size_t>(weir_metrics_text(get(), nullptr, 0)));
        weir_metrics_text(get(), text.data(), text.size() + 1); /* data() has room for the null byte */
        return text;
    }

  private:
    /* weir_reply_error() with the arguments of weir_reply(). */
    struct answer_with {
        std::uint32_t error;
        int operator()(weir_ep *ep, std::uint64_t request, const iovec *iov, int count, std::uint64_t user_data,
                       const weir_sendopt *opt) const noexcept
        {
            return weir_reply_error(ep, request, error, iov, count, user_data, opt);
        }
    };
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
