#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lookahead {

class StateArchive;

/// The fields of a type that cannot have a member function `fields`. Specialise it beside the type, with `static void
/// visit(StateArchive&, T&)`.
template <class T>
struct StateFields;

namespace detail {

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// A scalar whose arrays are listed as bytes, in one piece.
template <class T>
concept PlainScalar = Scalar<T> && std::has_unique_object_representations_v<T>;

template <class T>
concept HasFields = requires(T& object, StateArchive& archive) {
    object.fields(archive);
};

}  // namespace detail

/// Visits the state of a logical process field by field. A class that is part of such a state lists its fields once, in
/// `void fields(StateArchive& archive) { archive& first_& second_; }`, and that one list serves for saving, loading and
/// hashing the state: none of the three can leave out a field that another has.
///
/// A list must depend on the history of the process, not on the windows in which it happened: a queue lists its
/// contents, not their position in its storage. It may omit data that follow from other fields and from the
/// configuration; then it recomputes them if `loading()`.
class StateArchive {
  public:
    StateArchive(const StateArchive&) = delete;
    StateArchive& operator=(const StateArchive&) = delete;
    virtual ~StateArchive() = default;

    /// True if the archive assigns the fields, false if it reads them.
    bool loading() const { return loading_; }

    /// A number, an enumerator, an object with `fields`, or a container of these. On loading, vectors and similar
    /// containers get the saved length.
    template <class T>
    StateArchive& operator&(T& field) {
        if constexpr (detail::Scalar<T>) {
            bytes(&field, sizeof field);
        } else if constexpr (detail::HasFields<T>) {
            field.fields(*this);
        } else {
            StateFields<T>::visit(*this, field);
        }
        return *this;
    }

    /// Lists an object without padding and pointers as its bytes, for example a message's payload.
    template <class T>
    void plain(T& object) {
        static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>);
        bytes(&object, sizeof object);
    }
    /// Lists the `count` objects from `objects` on as their bytes. Their number is not listed: it is not part of the
    /// state, or the caller has listed it before.
    template <class T>
    void plain(T* objects, std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>);
        bytes(objects, count * sizeof(T));
    }

    /// Lists a field that has a getter and a setter.
    template <class Get, class Set>
    void value(Get&& get, Set&& set) {
        auto copy = get();
        *this& copy;
        if (loading_) { set(copy); }
    }

    /// Lists a pointer to an object of `array`, or null, as an index. Throws std::out_of_range if the index that is
    /// read is outside the array.
    template <class T>
    void optional_pointer_into(std::span<const T> array, const T*& pointer) {
        std::int64_t index = pointer == nullptr ? -1 : pointer - array.data();
        *this& index;
        if (loading_) {
            if (index >= std::ssize(array)) { throw std::out_of_range("a pointer"); }
            pointer = index < 0 ? nullptr : &array[static_cast<std::size_t>(index)];
        }
    }
    /// The same for a pointer that is never null; throws std::out_of_range if it is.
    template <class T>
    void pointer_into(std::span<const T> array, const T*& pointer) {
        optional_pointer_into(array, pointer);
        if (pointer == nullptr) { throw std::out_of_range("a pointer"); }
    }

  protected:
    explicit StateArchive(bool loading) : loading_(loading) {}

  private:
    virtual void bytes(void* data, std::size_t size) = 0;

    bool loading_;
};

namespace detail {

/// A saved length may be wrong, so a sequence that is loaded grows in pieces, each after the previous one has been
/// read. So it takes at most twice the memory of the data.
template <class Sequence>
struct SequenceFields {
    static void visit(StateArchive& archive, Sequence& sequence) {
        std::uint64_t size = sequence.size();
        archive& size;
        if (!archive.loading()) {
            visit_from(archive, sequence, 0);
            return;
        }
        constexpr std::uint64_t kFirstPiece = 4096;
        sequence.clear();
        while (sequence.size() < size) {
            const std::size_t begin = sequence.size();
            sequence.resize(begin + std::min<std::uint64_t>(size - begin, std::max<std::uint64_t>(begin, kFirstPiece)));
            visit_from(archive, sequence, begin);
        }
    }

  private:
    static void visit_from(StateArchive& archive, Sequence& sequence, std::size_t begin) {
        if constexpr (PlainScalar<typename Sequence::value_type> && requires { sequence.data(); }) {
            archive.plain(sequence.data() + begin, sequence.size() - begin);
        } else {
            for (std::size_t i = begin; i < sequence.size(); ++i) { archive& sequence[i]; }
        }
    }
};

}  // namespace detail

template <class T>
struct StateFields<std::vector<T>> : detail::SequenceFields<std::vector<T>> {};
template <class T>
struct StateFields<std::deque<T>> : detail::SequenceFields<std::deque<T>> {};
template <>
struct StateFields<std::string> : detail::SequenceFields<std::string> {};

template <class T>
struct FixedFields {
    static void visit(StateArchive& archive, T& elements) {
        if constexpr (detail::PlainScalar<std::remove_reference_t<decltype(*std::begin(elements))>>) {
            archive.plain(std::data(elements), std::size(elements));
        } else {
            for (auto& element : elements) { archive& element; }
        }
    }
};
template <class T, std::size_t N>
struct StateFields<std::array<T, N>> : FixedFields<std::array<T, N>> {};
template <class T, std::size_t N>
struct StateFields<T[N]> : FixedFields<T[N]> {};

template <class First, class Second>
struct StateFields<std::pair<First, Second>> {
    static void visit(StateArchive& archive, std::pair<First, Second>& pair) { archive& pair.first& pair.second; }
};

template <class T>
struct StateFields<std::optional<T>> {
    static void visit(StateArchive& archive, std::optional<T>& optional) {
        bool holds = optional.has_value();
        archive& holds;
        if (archive.loading()) {
            optional.reset();
            if (holds) { optional.emplace(); }
        }
        if (holds) { archive&* optional; }
    }
};

template <class Key, class T>
struct StateFields<std::map<Key, T>> {
    static void visit(StateArchive& archive, std::map<Key, T>& map) {
        std::uint64_t size = map.size();
        archive& size;
        if (archive.loading()) {
            map.clear();
            for (; size > 0; --size) {
                std::pair<Key, T> entry{};
                archive& entry;
                map.insert(map.end(), std::move(entry));
            }
            return;
        }
        for (auto& [key, mapped] : map) {
            Key copy = key;
            archive& copy& mapped;
        }
    }
};

}  // namespace lookahead
