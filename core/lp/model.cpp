#include "core/lp/model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error/error.h"
#include "core/lp/logical_process.h"

namespace lookahead {

LpId Model::add(LpDescription description, Factory factory) {
    processes_.push_back(std::move(description));
    factories_.push_back(std::move(factory));
    return static_cast<LpId>(processes_.size() - 1);
}

void Model::connect(LpId from, unsigned out_port, LpId to, std::uint16_t in_port, Time lookahead, double traffic) {
    connect_all(from, out_port, to, 1, in_port, lookahead, traffic);
}

void Model::connect_all(LpId from, unsigned out_port, LpId first_lp, std::uint32_t count, std::uint16_t in_port,
                        Time lookahead, double traffic) {
    LOOKAHEAD_ASSERT(lookahead > 0, "a channel from LP {} to LP {} has no lookahead", from, first_lp);
    channels_.push_back({from, out_port, first_lp, count, in_port, lookahead, traffic});
}

void Model::answer_only(LpId lp, std::uint16_t in_port, unsigned out_port) {
    LOOKAHEAD_ASSERT(std::ranges::find(answers_, lp, &AnswerDescription::lp) == answers_.end(),
                     "LP {} has two in-ports that are answered only", lp);
    answers_.push_back({lp, in_port, out_port});
}

std::unique_ptr<LogicalProcess> Model::make(LpId id) const {
    return factories_.at(id)();
}

std::vector<std::uint32_t> Model::first_channel_numbers() const {
    std::vector<std::uint32_t> first(processes_.size() + 1, 0);
    std::map<std::pair<LpId, std::uint32_t>, unsigned> entries;
    for (const ChannelDescription& channel : channels_) {
        LOOKAHEAD_ASSERT(
            channel.from < processes_.size() && channel.to + std::size_t{channel.count} <= processes_.size(),
            "a channel from LP {} to LP {} names an LP that does not exist", channel.from, channel.to);
        first[channel.from + 1] = std::max(first[channel.from + 1], channel.out_port + 1);
        ++entries[{channel.from, channel.out_port}];
    }
    for (const ChannelDescription& channel : channels_) {
        LOOKAHEAD_ASSERT(channel.count == 1 || entries[std::pair(channel.from, channel.out_port)] == 1,
                         "a uniform fan-out must be the only connection of its port ({})",
                         processes_[channel.from].name);
    }
    for (std::size_t i = 1; i < first.size(); ++i) { first[i] += first[i - 1]; }
    return first;
}

}  // namespace lookahead
