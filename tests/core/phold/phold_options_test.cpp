#include <doctest/doctest.h>

#include "core/error/error.h"
#include "core/phold/phold.h"
#include "core/transport/in_process/in_process_transport.h"

using namespace lookahead;

TEST_CASE("options out of range are refused") {
    const auto refused = [](auto change) {
        PholdOptions options;
        change(options);
        CHECK_THROWS_AS(make_phold_model(options), ConfigurationError);
    };
    refused([](PholdOptions& o) { o.lps = 0; });
    refused([](PholdOptions& o) { o.events = 0; });
    refused([](PholdOptions& o) { o.remote = 1.5; });
    refused([](PholdOptions& o) { o.remote = -0.5; });
    refused([](PholdOptions& o) { o.lookahead = 0; });
    refused([](PholdOptions& o) { o.payload = 33; });
    refused([](PholdOptions& o) { o.duration = 0; });
    refused([](PholdOptions& o) { o.queue = "list"; });
    refused([](PholdOptions& o) { o.partition = "chaos"; });
    refused([](PholdOptions& o) { o.lps = 1; });  // with remote events
    CHECK_NOTHROW(make_phold_model({}));
}

TEST_CASE("the share of remote events is the one asked for") {
    InProcessTransport transport;
    PholdOptions options{.lps = 64, .duration = 100};
    for (const double remote : {0.0, 0.1, 0.5, 1.0}) {
        options.remote = remote;
        const PholdResult result = run_phold(options, transport, "serial");
        const double delivered = static_cast<double>(result.per_rank[0].events);
        CHECK(delivered / static_cast<double>(result.events) == doctest::Approx(remote).epsilon(0.03));
    }
}

TEST_CASE("the fan-out to all processes costs one channel a process") {
    PholdOptions options{.lps = 1000};
    CHECK(make_phold_model(options).channels().size() == 1000);
}
