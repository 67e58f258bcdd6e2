#pragma once

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error/error.h"
#include "core/transport/transport.h"

namespace lookahead {

/// An error of one rank, to be reported to all ranks.
struct RankError {
    ExitCode code = ExitCode::done;
    std::string sentence;
};

/// Runs the action and returns the error that it throws; ExitCode::done if it throws none.
template <class F>
RankError catch_error(F&& action) {
    try {
        action();
    } catch (const Error& error) { return {error.code(), error.what()}; } catch (const std::exception& error) {
        return {ExitCode::internal, error.what()};
    }
    return {};
}

/// Returns, on all ranks, the error of the first rank that has one; nothing if no rank has. `codes`: the ExitCodes of
/// all ranks, by rank.
std::optional<RankError> first_error(Transport&, RankError mine, std::span<const std::uint64_t> codes);

/// The same if the ranks do not know each other's codes yet.
std::optional<RankError> agree_on_error(Transport&, RankError mine);

/// Throws the error in the class of its exit code.
[[noreturn]] void throw_as_its_kind(const RankError&);

/// If any rank has an error, throws on every rank the error of the first rank that has one. If other ranks have none,
/// for example because a file is missing on one node only, the sentence names the rank.
void throw_if_any_fails(Transport&, RankError mine);

/// Does a step that depends on the outside world (files, the host, the command line), which ranks may see differently.
/// Either it succeeds on all ranks, or all throw the same error. Every rank calls it.
template <class Step>
auto on_every_rank(Transport& transport, Step&& step) {
    using Result = std::invoke_result_t<Step&>;
    if constexpr (std::is_void_v<Result>) {
        throw_if_any_fails(transport, catch_error(step));
    } else {
        std::optional<Result> result;
        throw_if_any_fails(transport, catch_error([&] { result.emplace(step()); }));
        return std::move(*result);
    }
}

/// Something that must be the same on every rank.
struct Fact {
    std::string name;
    std::string value;

    template <class Archive>
    void serialize(Archive& archive, unsigned) {
        archive& name& value;
    }
};

/// ConfigurationError on every rank, with the name of the fact, if a rank's facts differ from rank 0's. Every rank
/// calls it.
void require_alike(Transport&, const std::vector<Fact>& mine);

}  // namespace lookahead
