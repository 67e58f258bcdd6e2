#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "components/isa/dim3.h"

namespace lookahead {

/// Whether every bit of a T belongs to its value, as far as the language can tell.
template <class T>
inline constexpr bool is_without_padding = std::is_arithmetic_v<T> || std::has_unique_object_representations_v<T>;

/// Copies a value's bytes to `to`, which must be aligned for T; padding between the members of structs becomes 0.
/// Padding holds earlier contents of memory, which differ between processes, while a device's memory and a kernel's
/// parameters are part of `state_hash` and of captures.
template <class T>
void copy_value_bytes(std::byte* to, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(to, &value, sizeof(T));
// Clang 14 has no function that clears padding; its builds are for fuzzing and do not compare hashes of different
// processes.
#if __has_builtin(__builtin_clear_padding)
    if constexpr (!is_without_padding<T>) { __builtin_clear_padding(reinterpret_cast<T*>(to)); }
#endif
}

/// Address of a device allocation.
using DeviceAddress = std::uint64_t;

struct LaunchConfiguration {
    isa::Dim3 grid;
    isa::Dim3 block;
    std::uint32_t dynamic_shared_bytes = 0;
};

/// The GPU as a host driver sees it: like the CUDA runtime, with all calls in stream order. The functional emulator and
/// the host process of the timing model implement it, so a driver cannot distinguish them.
class Device {
  public:
    virtual ~Device() = default;

    /// Lets kernels access all bytes of the pages that hold an allocation, as on a GPU; without it, an access outside
    /// the allocations is an error.
    virtual void use_pages() {}
    /// Allocates `bytes` > 0 bytes of uninitialised global memory, aligned to isa::kAllocationAlignment.
    virtual DeviceAddress allocate(std::uint64_t bytes) = 0;
    virtual void release(DeviceAddress address) = 0;
    virtual void copy_to_device(DeviceAddress destination, std::span<const std::byte> source) = 0;
    virtual void copy_from_device(std::span<std::byte> destination, DeviceAddress source) = 0;
    virtual void fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) = 0;
    /// The address of a .global or .const variable of the program's modules, for copies to and from it. Throws
    /// ProgramError if there is none of that name.
    virtual DeviceAddress variable(std::string_view name) const = 0;
    /// `parameters`: laid out as in the PTX ABI (`pack_parameters`).
    virtual void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                        std::span<const std::byte> parameters) = 0;
    /// Simulated time at which the last call was complete; 0 for a device without a clock.
    virtual std::uint64_t nanoseconds() const { return 0; }

    /// Copies values to allocated memory, or to a variable. The padding between members of structs arrives as 0.
    template <std::ranges::contiguous_range Values>
    void copy_values(DeviceAddress destination, const Values& values) {
        using T = std::ranges::range_value_t<Values>;
        const std::span<const T> all(values);
        if constexpr (is_without_padding<T>) {
            copy_to_device(destination, std::as_bytes(all));
        } else {
            std::vector<std::byte> bytes(all.size_bytes());
            for (std::size_t i = 0; i < all.size(); ++i) { copy_value_bytes(bytes.data() + i * sizeof(T), all[i]); }
            copy_to_device(destination, bytes);
        }
    }
    /// Allocates memory and copies the values to it.
    template <class T>
    DeviceAddress upload(const std::vector<T>& values) {
        const DeviceAddress address = allocate(values.size() * sizeof(T));
        copy_values(address, values);
        return address;
    }
    template <class T>
    std::vector<T> download(DeviceAddress address, std::size_t count) {
        std::vector<T> values(count);
        copy_from_device(std::as_writable_bytes(std::span(values)), address);
        return values;
    }
};

/// Lays kernel parameters out as in the PTX ABI: each at the next multiple of its alignment. Padding between them, and
/// between the members of structs, is 0.
template <class... Ts>
std::vector<std::byte> pack_parameters(const Ts&... values) {
    std::size_t bytes = 0;
    const auto place = [&bytes](std::size_t size, std::size_t alignment) {
        const std::size_t begin = (bytes + alignment - 1) / alignment * alignment;
        bytes = begin + size;
        return begin;
    };
    (place(sizeof(Ts), alignof(Ts)), ...);
    std::vector<std::byte> packed(bytes);
    bytes = 0;
    (copy_value_bytes(packed.data() + place(sizeof(Ts), alignof(Ts)), values), ...);
    return packed;
}

}  // namespace lookahead
