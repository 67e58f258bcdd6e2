#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/checkpoint/archive.h"
#include "core/state/state_archive.h"
#include "core/state/state_hasher.h"

namespace lookahead {

/// A function that lists fields to an archive: it calls one class's `fields`, or those of several.
using StateList = std::function<void(StateArchive&)>;

/// Writes the fields as the bytes of a Boost archive, see archive_to.
void state_to(const ByteSink&, const StateList& fields);
std::string state_to_bytes(const StateList& fields);

/// Reads the fields from the bytes. If the bytes end too early, or some are left, an InputError names `what` ("the
/// state of sm3").
void state_from(const ByteSource&, const std::string& what, const StateList& fields);
void state_from_bytes(std::string_view bytes, const std::string& what, const StateList& fields);

/// Adds the fields that are listed to it to a hash.
class HashingArchive final : public StateArchive {
  public:
    explicit HashingArchive(StateHasher& hasher) : StateArchive(false), hasher_(hasher) {}

  private:
    void bytes(void* data, std::size_t size) override { hasher_.add_bytes(data, size); }

    StateHasher& hasher_;
};

/// The hash of a list of fields. Hashing and saving do not change the fields.
std::uint64_t hash_of(const StateList& fields);
template <class State>
std::uint64_t hash_of_state(const State& state) {
    return hash_of([&](StateArchive& archive) { archive& const_cast<State&>(state); });
}
template <class State>
std::string saved_state(const State& state) {
    return state_to_bytes([&](StateArchive& archive) { archive& const_cast<State&>(state); });
}
void load_state(auto& state, std::string_view bytes, const std::string& what = "a state") {
    state_from_bytes(bytes, what, [&](StateArchive& archive) { archive& state; });
}

}  // namespace lookahead
