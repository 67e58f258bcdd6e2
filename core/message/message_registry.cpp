#include "core/message/message_registry.h"

#include <algorithm>

namespace lookahead {
namespace {

std::vector<MessageDescription>& table() {
    static std::vector<MessageDescription> messages;
    return messages;
}

}  // namespace

std::vector<MessageDescription> registered_messages() {
    std::vector<MessageDescription> sorted = table();
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.type < b.type; });
    return sorted;
}

detail::MessageRegistration::MessageRegistration(const MessageDescription& description) {
    table().push_back(description);
}

}  // namespace lookahead
