#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "components/device/device.h"
#include "components/frontend/cudart/fat_binary.h"
#include "experiments/capture/contents.h"

namespace lookahead {

/// One call of a captured program on its device. The numbers of the kinds are those of the file.
struct CapturedCall {
    enum class Kind : std::uint32_t {
        allocate,
        release,
        copy_to_device,
        copy_from_device,
        fill,
        launch,
        copy_on_device,
        use_pages  ///< kernels may access whole pages from here on (Device::use_pages)
    };
    static constexpr std::uint32_t kKinds = 8;

    Kind kind = Kind::allocate;
    DeviceAddress address = 0;
    DeviceAddress source = 0;  ///< copy_on_device
    std::uint64_t bytes = 0;
    std::uint32_t value = 0;       ///< fill
    std::uint64_t first_word = 0;  ///< of `bytes` bytes in the contents
    std::string kernel{};
    LaunchConfiguration configuration{{0, 0, 0}, {0, 0, 0}, 0};
    std::int32_t error = 0;  ///< launch: CUDA's error code that the program got for it; 0: the kernel completed

    bool has_contents() const {
        return kind == Kind::copy_to_device || kind == Kind::copy_from_device || kind == Kind::launch;
    }
};

/// A CUDA program's actions on its device: hdf5_schemas/capture.schema.json.
struct Capture {
    std::string program;
    std::string ptx_name;
    std::vector<std::string> modules;
    std::vector<cudart::CubinImage> cubins;  ///< of a program with one module
    std::vector<CapturedCall> calls;
    Contents contents_of_calls;

    /// Appends a call with its contents.
    void add(CapturedCall call, std::span<const std::byte> contents = {});
    std::vector<std::byte> contents(const CapturedCall& call) const;
    /// All modules, concatenated.
    std::string ptx() const;
};

void write_capture(const Capture& capture, const std::string& path);
/// Throws InputError for anything that is not a complete, consistent capture.
Capture read_capture(const std::string& path);

/// Makes the call on the device; copies from the device and launches are for the caller to make. InputError if the
/// device allocates at another address.
void repeat(const CapturedCall& call, std::span<const std::byte> contents, Device& device);

}  // namespace lookahead
