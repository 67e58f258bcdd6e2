#include "components/sm/pipeline/issue_extension.h"

#include <algorithm>

#include "components/sm/pipeline/pipeline_state.h"
#include "core/error/error.h"

namespace lookahead::gpu {

/// The default: the SM makes no object for it.
class NoExtension final : public IssueExtension {
  public:
    using IssueExtension::IssueExtension;
};

LOOKAHEAD_REGISTER_VARIANT(IssueExtension, NoExtension, "none", "Warps have one instruction stream each.",
                           "the default; every machine's baseline")

void IssueExtension::attend(unsigned context, bool attended) {
    const ContextMask bit = context_bit(context);
    attended_ = (attended_ & ~bit) | (attended ? bit : 0);
    const bool by_some = attended || state_.extensions->attended(context);
    state_.attended = (state_.attended & ~bit) | (by_some ? bit : 0);
}

void IssueExtension::schedule(unsigned index, std::uint32_t detail, Cycle now, Cycle at) {
    const PipelineEvent event{PipelineEvent::Kind::extension, static_cast<std::uint16_t>(index), detail, sm_.number};
    state_.wheel.schedule(now, at, event.packed());
}

Extensions::Extensions(const Configuration& configuration, IssueExtensionArguments arguments) {
    const std::vector<std::string> names = joined_variants<IssueExtension>(configuration);
    if (names.size() > IssueExtension::kMost) {
        throw ConfigurationError("sm.issue_extension names {} extensions; an SM has at most {}", names.size(),
                                 IssueExtension::kMost);
    }
    if (!names.empty() && arguments.state.parameters.dependences == "control_words") {
        throw ConfigurationError(
            "sm.dependences = control_words does not go with sm.issue_extension = {}, which asks the scoreboard for "
            "registers; use sm.dependences = scoreboard",
            names.front());
    }
    for (const std::string& name : names) {
        list_.push_back(make_variant<IssueExtension>(name, configuration, arguments));
        ++arguments.number;
        QueueServer* const queues = list_.back()->queue_server();
        if (queues != nullptr && queues_ != nullptr) {
            throw ConfigurationError(
                "sm.issue_extension names two extensions that serve a kernel's queues; an SM has one");
        }
        if (queues != nullptr) { queues_ = queues; }
    }
}

Cycle Extensions::longest_delay() const {
    Cycle longest = 0;
    for (const auto& extension : list_) { longest = std::max(longest, extension->longest_delay()); }
    return longest;
}

bool Extensions::classify(unsigned context) const {
    return std::any_of(list_.begin(), list_.end(), [context](const auto& extension) {
        return extension->attends(context) && extension->classify(context);
    });
}

bool Extensions::supply(unsigned context, Cycle now) const {
    return std::any_of(list_.begin(), list_.end(), [&](const auto& extension) {
        return extension->attends(context) && extension->supply(context, now);
    });
}

Cycle Extensions::next_cycle(Cycle now) const {
    Cycle next = kNever;
    for (const auto& extension : list_) { next = std::min(next, extension->next_cycle(now)); }
    return next;
}

ContextMask Extensions::extended() const {
    ContextMask contexts = 0;
    for (const auto& extension : list_) { contexts |= extension->extended(); }
    return contexts;
}

bool Extensions::attended(unsigned context) const {
    return std::any_of(list_.begin(), list_.end(),
                       [context](const auto& extension) { return extension->attends(context); });
}

void Extensions::load_completed(std::uint16_t token, const isa::Instruction& instruction, Cycle now) const {
    list_[token >> IssueExtension::kTokenBits]->load_completed(token & IssueExtension::kTokens, instruction, now);
}

void Extensions::fields(StateArchive& archive) const {
    for (const auto& extension : list_) {
        extension->attendance_fields(archive);
        extension->fields(archive);
    }
}

}  // namespace lookahead::gpu
