#include "core/sync/sync_protocol.h"

#include <algorithm>
#include <array>
#include <climits>

#include "core/component/catalogue.h"
#include "core/error/error.h"
#include "core/sync/null_message/null_message_protocol.h"
#include "core/sync/serial/serial_protocol.h"
#include "core/sync/window/window_protocol.h"

namespace lookahead {
namespace {

template <class Protocol>
std::unique_ptr<SyncProtocol> make(const SyncArguments& arguments) {
    return std::make_unique<Protocol>(arguments);
}

constexpr std::array kProtocols{
    SyncDescription{"serial", "One process; no message leaves it.", "", make<SerialProtocol>, 1, true},
    SyncDescription{"window",
                    "Windows up to a global lower bound on time stamps plus the lookahead; they jump over idle time.",
                    "Nicol, The cost of conservative synchronization in parallel discrete event simulations, JACM 1993",
                    make<WindowProtocol>, INT_MAX, true},
    SyncDescription{"null_message",
                    "Promises between each two ranks that ride on the batches; no global operation between epochs.",
                    "Chandy and Misra, Distributed simulation, IEEE TSE 1979; Bryant 1977; counting: Mattern 1987",
                    make<NullMessageProtocol>, INT_MAX, false},
};

[[maybe_unused]] const bool protocols_listed = [] {
    add_slot({"sync", "How the ranks keep each other from running too far ahead.", "--sync"});
    for (const SyncDescription& protocol : kProtocols) {
        add_variant(
            {"sync", std::string(protocol.name), std::string(protocol.description), std::string(protocol.source)});
    }
    return true;
}();

}  // namespace

const SyncDescription& find_sync_protocol(std::string_view name) {
    const auto* const found = std::ranges::find(kProtocols, name, &SyncDescription::name);
    if (found != kProtocols.end()) {
        return *found;
    }
    std::string names;
    for (const SyncDescription& protocol : kProtocols) {
        names += (names.empty() ? "" : ", ") + std::string(protocol.name);
    }
    throw ConfigurationError("unknown synchronisation protocol " + std::string(name) + "; there are " + names);
}

}  // namespace lookahead
