#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "experiments/capture/capture.h"

namespace lookahead {

/// Memory that kernels and the program's host code share: managed memory, and pinned memory that kernels use. The
/// program writes it without a call, so a capture records copies instead: pages that the host wrote are copied to the
/// device before the device next runs; pages that kernels wrote are copied back when the program next waits for its
/// device.
class HostPages {
  public:
    using Record = std::function<void(CapturedCall call, std::span<const std::byte> contents)>;

    HostPages(Record record, EmulatedDevice& device) : add_(std::move(record)), device_(device) {}

    /// Shares the allocation or variable. `copy`: whether the host has written it before; else it equals the device's.
    void share(Allocator::Block block, bool copy);
    /// Ends the sharing; true if it was shared.
    bool remove(DeviceAddress address) { return blocks_.erase(address) != 0; }
    bool contains(DeviceAddress address) const { return blocks_.contains(address); }
    bool empty() const { return blocks_.empty(); }
    std::vector<Allocator::Block> blocks() const;

    /// Call it before a launch or a copy: records the host's writes. Returns their bytes.
    std::uint64_t record_host_writes();
    /// Call it after a launch: notes the pages that it wrote.
    void note_kernel_writes();
    /// Call it when the program waits: records kernels' writes as copies to the program. Returns their bytes.
    std::uint64_t record_kernel_writes();
    /// Notes bytes that a recorded copy or filling has written.
    void accept(DeviceAddress address, std::uint64_t bytes);

  private:
    struct Block {
        DeviceAddress address = 0;
        std::vector<std::byte> known;         ///< the contents that the captured calls lead to
        std::vector<bool> written_by_kernel;  ///< by page
    };
    /// A page of a block, without bytes outside of the block.
    struct Page {
        std::size_t number, begin, bytes;
    };
    static Page page_of(const Block& block, std::size_t number);
    /// The present bytes of a page.
    std::span<const std::byte> now(const Block& block, const Page& page) const;
    bool differs(const Block& block, const Page& page) const;
    static void know(Block& block, const Page& page, std::span<const std::byte> contents);
    /// Records a call for each run of marked pages.
    std::uint64_t record(Block& block, const std::vector<bool>& marked, CapturedCall::Kind kind);

    Record add_;
    EmulatedDevice& device_;
    std::map<DeviceAddress, Block> blocks_;
};

}  // namespace lookahead
