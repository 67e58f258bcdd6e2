#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lookahead {

/// The type of a payload, unique in the program. 1..199 belong to the models in components, 200..255 to the engine's
/// own models and to tests.
using MessageType = std::uint8_t;

struct MessageDescription {
    MessageType type;
    std::string_view name;
    std::size_t bytes;  ///< of the fixed part
};

/// All payload types that the program can send, in the order of their numbers.
std::vector<MessageDescription> registered_messages();

namespace detail {

struct MessageRegistration {
    explicit MessageRegistration(const MessageDescription&);
};

template <class P>
constexpr MessageDescription describe_message(std::string_view name) {
    static_assert(std::is_trivially_copyable_v<P>, "a payload crosses ranks as plain bytes");
    return {P::kType, name, sizeof(P)};
}

}  // namespace detail
}  // namespace lookahead

/// One statement for each payload type, in a .cpp file.
#define LOOKAHEAD_REGISTER_MESSAGE(P)                                          \
    static const ::lookahead::detail::MessageRegistration registration_of_##P{ \
        ::lookahead::detail::describe_message<P>(#P)};
