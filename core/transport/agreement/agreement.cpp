#include "core/transport/agreement/agreement.h"

#include <algorithm>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "core/checkpoint/archived.h"
#include "core/transport/all_gather.h"

namespace lookahead {

namespace {

std::vector<std::uint64_t> codes_of_all(Transport& transport, const RankError& mine) {
    return all_gather(transport, static_cast<std::uint64_t>(mine.code));
}

/// Describes a difference from rank 0's facts; empty if there is none. Prefers a different value to a missing fact,
/// because facts such as a variant's keys are missing only as a consequence.
std::string difference(const std::vector<Fact>& mine, const std::vector<Fact>& first) {
    constexpr std::size_t kReadable = 80;
    std::map<std::string_view, std::string_view> others;
    for (const Fact& fact : first) { others.emplace(fact.name, fact.value); }
    std::string missing;
    for (const auto& [name, value] : mine) {
        const auto other = others.find(name);
        if (other == others.end()) {
            missing = missing.empty() ? fmt::format("{} is not there on rank 0", name) : missing;
        } else if (other->second != value) {
            return std::max(other->second.size(), value.size()) > kReadable
                       ? fmt::format("{} differs from that of rank 0", name)
                       : fmt::format("{} is {} here and {} on rank 0", name, value, other->second);
        }
    }
    return missing.empty() && mine.size() != first.size() ? "it lacks some of the keys of rank 0" : missing;
}

}  // namespace

std::optional<RankError> first_error(Transport& transport, RankError mine, std::span<const std::uint64_t> codes) {
    const auto first = std::find_if(codes.begin(), codes.end(), [](std::uint64_t c) { return c != 0; });
    if (first == codes.end()) { return std::nullopt; }
    transport.broadcast(mine.sentence, static_cast<int>(first - codes.begin()));
    return RankError{static_cast<ExitCode>(*first), mine.sentence};
}

std::optional<RankError> agree_on_error(Transport& transport, RankError mine) {
    const std::vector<std::uint64_t> codes = codes_of_all(transport, mine);
    return first_error(transport, std::move(mine), codes);
}

void throw_as_its_kind(const RankError& error) {
    if (error.code == ExitCode::usage) { throw ConfigurationError(error.sentence); }
    if (error.code == ExitCode::bad_input) { throw InputError(error.sentence); }
    if (error.code == ExitCode::program_misbehaved) { throw ProgramError(error.sentence); }
    throw InternalError(error.sentence);
}

void throw_if_any_fails(Transport& transport, RankError mine) {
    const std::vector<std::uint64_t> codes = codes_of_all(transport, mine);
    const bool is_everywhere = std::find(codes.begin(), codes.end(), 0) == codes.end();
    if (mine.code != ExitCode::done && !is_everywhere) {
        mine.sentence = fmt::format("rank {}: {}", transport.rank(), mine.sentence);
    }
    if (const auto error = first_error(transport, std::move(mine), codes)) { throw_as_its_kind(*error); }
}

void require_alike(Transport& transport, const std::vector<Fact>& mine) {
    if (transport.size() == 1) { return; }
    std::string bytes = archived(mine);
    transport.broadcast(bytes);
    on_every_rank(transport, [&] {
        std::vector<Fact> first;
        read_archived(bytes, "what rank 0 runs", first);
        const std::string what = difference(mine, first);
        if (!what.empty()) {
            throw ConfigurationError(
                "this rank runs something else than rank 0: {}; start all ranks with the same program and the same "
                "arguments",
                what);
        }
    });
}

}  // namespace lookahead
