/* weir/base.hpp - what weir.hpp is made of: error codes, results, what is to be sent, options, addresses. */
#ifndef WEIR_BASE_HPP
#define WEIR_BASE_HPP
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
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

using counters = struct ::weir_stats; /* functions have these names, too */
using peer_counters = struct ::weir_peer_stats;

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

} // namespace weir
#endif
