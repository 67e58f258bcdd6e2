#include "core/transport/agreement/agreement.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lookahead {

namespace {

std::vector<std::uint64_t> codes_of_all(Transport& transport, const RankError& mine) {
    const auto code = static_cast<std::uint64_t>(mine.code);
    std::vector<std::uint64_t> codes(static_cast<std::size_t>(transport.size()));
    transport.all_gather({&code, 1}, codes);
    return codes;
}

}  // namespace

std::optional<RankError> first_error(Transport& transport, RankError mine, std::span<const std::uint64_t> codes) {
    const auto first = std::find_if(codes.begin(), codes.end(), [](std::uint64_t c) { return c != 0; });
    if (first == codes.end()) {
        return std::nullopt;
    }
    transport.broadcast(mine.sentence, static_cast<int>(first - codes.begin()));
    return RankError{static_cast<ExitCode>(*first), mine.sentence};
}

std::optional<RankError> agree_on_error(Transport& transport, RankError mine) {
    const std::vector<std::uint64_t> codes = codes_of_all(transport, mine);
    return first_error(transport, std::move(mine), codes);
}

void throw_as_its_kind(const RankError& error) {
    switch (error.code) {
        case ExitCode::usage:
            throw ConfigurationError(error.sentence);
        case ExitCode::bad_input:
            throw InputError(error.sentence);
        case ExitCode::program_misbehaved:
            throw ProgramError(error.sentence);
        default:
            throw InternalError(error.sentence);
    }
}

void throw_if_any_fails(Transport& transport, RankError mine) {
    const std::vector<std::uint64_t> codes = codes_of_all(transport, mine);
    const bool is_everywhere = std::find(codes.begin(), codes.end(), 0) == codes.end();
    if (mine.code != ExitCode::done && !is_everywhere) {
        mine.sentence = "rank " + std::to_string(transport.rank()) + ": " + mine.sentence;
    }
    if (const auto error = first_error(transport, std::move(mine), codes)) {
        throw_as_its_kind(*error);
    }
}

}  // namespace lookahead
