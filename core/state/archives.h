#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/state/state_archive.h"
#include "core/state/state_hasher.h"

namespace lookahead {

/// What a list of fields is given to: a class's `fields`, or several.
using StateList = std::function<void(StateArchive&)>;

/// The fields as the bytes of a Boost archive.
std::string state_to_bytes(const StateList& fields);

/// Gives the fields what the bytes hold. Bytes that end too early, or of which some are left, are an InputError that
/// names `what` ("the state of sm3").
void state_from_bytes(std::string_view bytes, const std::string& what, const StateList& fields);

/// Adds the fields to the hash.
class HashingArchive final : public StateArchive {
  public:
    explicit HashingArchive(StateHasher& hasher) : StateArchive(false), hasher_(hasher) {}

  private:
    void bytes(void* data, std::size_t size) override { hasher_.add_bytes(data, size); }

    StateHasher& hasher_;
};

/// Adds a state's fields to the hash. Hashing only reads them.
template <class T>
void hash_fields(StateHasher& hasher, const T& state) {
    HashingArchive archive(hasher);
    const_cast<T&>(state).fields(archive);
}

}  // namespace lookahead
