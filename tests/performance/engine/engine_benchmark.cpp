// PHOLD and empty windows, for work on the engine: engine_benchmark [phold|window] [key=value]... Run it alone for one
// process, under mpirun for more ranks. Rank 0 prints one line per run.
#include <cstdio>
#include <string>

#include "core/error/error.h"
#include "core/phold/phold.h"
#include "core/phold/window_benchmark.h"
#include "core/transport/transport.h"

using namespace lookahead;

namespace {

struct Request {
    std::string what = "phold";
    std::string sync;
    PholdOptions phold;
    int repeats = 1;
};

void set(Request& request, const std::string& argument) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) {
        request.what = argument;
        return;
    }
    const std::string key = argument.substr(0, equals);
    const std::string value = argument.substr(equals + 1);
    PholdOptions& phold = request.phold;
    if (key == "sync") {
        request.sync = value;
    } else if (key == "repeats") {
        request.repeats = std::stoi(value);
    } else if (key == "lps") {
        phold.lps = static_cast<std::uint32_t>(std::stoul(value));
    } else if (key == "events") {
        phold.events = static_cast<std::uint32_t>(std::stoul(value));
    } else if (key == "remote") {
        phold.remote = std::stod(value);
    } else if (key == "lookahead") {
        phold.lookahead = std::stod(value);
    } else if (key == "payload") {
        phold.payload = static_cast<unsigned>(std::stoul(value));
    } else if (key == "duration") {
        phold.duration = std::stod(value);
    } else if (key == "queue") {
        phold.queue = value;
    } else if (key == "partition") {
        phold.partition = value;
    } else {
        throw ConfigurationError("unknown key " + key);
    }
}

void run(const Request& request, Transport& transport) {
    const std::string sync = !request.sync.empty() ? request.sync : transport.size() == 1 ? "serial" : "window";
    const EngineStatistics* mine = nullptr;
    PholdResult phold;
    WindowBenchmarkResult window;
    if (request.what == "window") {
        window = benchmark_windows(200'000, transport, sync);
        mine = &window.per_rank[0];
    } else {
        phold = run_phold(request.phold, transport, sync);
        mine = &phold.per_rank[0];
    }
    if (transport.rank() != 0) { return; }
    if (request.what == "window") {
        std::printf("window %s ranks=%d: %.3f us", sync.c_str(), transport.size(), window.microseconds_per_window);
    } else {
        std::printf("phold %s ranks=%d remote=%.2f payload=%u queue=%s: %.2f M events/s, hash %016llx", sync.c_str(),
                    transport.size(), request.phold.remote, request.phold.payload, request.phold.queue.c_str(),
                    phold.events_per_second * 1e-6, static_cast<unsigned long long>(phold.state_hash));
    }
    std::printf(" (compute %.3f s, blocked %.3f s, windows %llu, packets %llu, null %llu, bytes %llu)\n",
                mine->compute_seconds, mine->blocked_seconds, static_cast<unsigned long long>(mine->windows),
                static_cast<unsigned long long>(mine->packets), static_cast<unsigned long long>(mine->null_messages),
                static_cast<unsigned long long>(mine->remote_bytes));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        Request request;
        for (int i = 1; i < argc; ++i) { set(request, argv[i]); }
        const std::unique_ptr<Transport> transport = make_transport();
        for (int i = 0; i < request.repeats; ++i) { run(request, *transport); }
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.code());
    }
    return 0;
}
