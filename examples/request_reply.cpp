/* examples/request_reply.cpp - two programs, on one host or on two, as request_reply.c:
 *
 *     request_reply serve :7000                  answers each request with itself in capitals
 *     request_reply ask 10.0.0.2:7000 hello      prints HELLO
 *
 * c++ -std=c++17 request_reply.cpp $(pkg-config --cflags --libs weir) */
#include <cctype>
#include <iostream>
#include <weir/weir.hpp>

static int failed(const char *what, std::error_code error)
{
    std::cerr << what << ": " << error.message() << ' ' << weir_open_error() << '\n';
    return 1;
}

static int serve(weir::endpoint &ep)
{
    std::cout << "serving on " << ep.address() << std::endl;
    for (;;) {
        auto m = ep.next(); /* its memory goes back at the end of the loop's body */
        if (!m || m->type() != WEIR_EV_CALL)
            continue;
        std::string text(m->data());
        for (char &c : text)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        /* copied, because text is gone by the time the reply has arrived */
        if (auto error = ep.reply(*m, text, 0, WEIR_COPY))
            failed("reply", error);
    }
}

static int ask(weir::endpoint &ep, const char *address, std::string_view text)
{
    auto to = ep.find(address);
    if (!to)
        return failed(address, to.error());
    if (auto error = ep.call(*to, text, 0, { 0, std::chrono::seconds(1) }))
        return failed("call", error);
    auto reply = ep.next();
    while (!reply && reply.error() == std::errc::interrupted)
        reply = ep.next();
    if (!reply || reply->error())
        return failed("no reply", reply ? reply->error() : reply.error());
    std::cout << reply->data() << '\n';
    return 0;
}

int main(int argc, char **argv)
{
    const std::string_view verb = argc > 1 ? argv[1] : "";
    const bool serves = argc == 3 && verb == "serve";
    if (!serves && (argc != 4 || verb != "ask")) {
        std::cerr << "usage: request_reply serve ADDRESS:PORT | request_reply ask ADDRESS:PORT TEXT\n";
        return 2;
    }
    auto ep = weir::endpoint::open(serves ? argv[2] : nullptr);
    if (!ep)
        return failed("open", ep.error());
    return serves ? serve(*ep) : ask(*ep, argv[2], argv[3]);
}
