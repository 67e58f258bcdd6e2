#include "core/sync/sync_protocol.h"

#include <climits>

#include <fmt/format.h>

#include "core/component/option_table.h"
#include "core/sync/null_message/null_message_protocol.h"
#include "core/sync/serial/serial_protocol.h"
#include "core/sync/window/window_protocol.h"

namespace lookahead {
namespace {

template <class Protocol>
std::unique_ptr<SyncProtocol> make(const SyncArguments& arguments) {
    return std::make_unique<Protocol>(arguments);
}

const OptionTable<SyncDescription> kProtocols(
    {"sync", "How ranks keep each other from advancing too far.", "--sync"}, "synchronisation protocol",
    {
        {"serial", "One process; no message leaves it.", "", make<SerialProtocol>, 1, 1, true},
        {"window", "Windows up to a global lower bound on time stamps plus the lookahead; they jump over idle time.",
         "Nicol, The cost of conservative synchronization in parallel discrete event simulations, JACM 1993",
         make<WindowProtocol>, INT_MAX, 4, true},
        {"null_message",
         "Promises between every two ranks, sent with the batches, on at most 16 ranks; no global operation between "
         "epochs.",
         "Chandy and Misra, Distributed simulation, IEEE TSE 1979; Bryant 1977; counting: Mattern 1987",
         make<NullMessageProtocol>, 16, INT_MAX, false},
    });

}  // namespace

const SyncDescription& find_sync_protocol(std::string_view name) {
    return kProtocols.find(name);
}

const SyncDescription& find_sync_protocol(std::string_view name, int ranks) {
    const SyncDescription& protocol = find_sync_protocol(name);
    if (ranks > protocol.most_ranks) {
        throw ConfigurationError(
            "the protocol {} runs on {}, not on {}; use window", name,
            (protocol.most_ranks == 1 ? "one rank" : fmt::format("at most {} ranks", protocol.most_ranks)), ranks);
    }
    return protocol;
}

}  // namespace lookahead
