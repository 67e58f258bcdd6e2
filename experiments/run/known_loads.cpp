#include "experiments/run/known_loads.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "components/device/device_print.h"
#include "components/emulator/decoded_kernel.h"
#include "components/emulator/emulated_device.h"
#include "components/sm/lsu/lane_data.h"
#include "components/sm/prefetch/prefetcher.h"
#include "components/sm/simt/simt_model.h"

namespace lookahead {
namespace {

/// Gathers lanes' accesses into warps' loads. The lanes of an instruction come one after another, in ascending order.
class LoadFinder final : public AccessObserver {
  public:
    void begin_launch(std::uint64_t) override {
        finish();
        warps_.emplace_back();
    }
    /// A lane's access lies within one line.
    void access(const ExecutionPlace& place, unsigned lane, Kind kind, std::uint64_t address, unsigned) override {
        if (kind != Kind::read || !gpu::is_prefetchable(place.kernel.code[place.pc]) || !in_global_memory(address)) {
            return;
        }
        const Key key{place.ctaid.z, place.ctaid.y, place.ctaid.x, place.first_thread / isa::kWarpSize};
        if (key != key_ || place.pc != load_.pc || lane <= lane_) {
            finish();
            key_ = key;
            load_ = {.pc = place.pc, .count = 0, .lines = {}};
            open_ = true;
        }
        lane_ = lane;
        add(gpu::line_of(address));
    }
    std::shared_ptr<const isa::LoadTrace> trace(const EmulatedDevice& device) {
        finish();
        auto result = std::make_shared<isa::LoadTrace>();
        for (std::size_t number = 0; number < warps_.size(); ++number) {
            const LaunchConfiguration& launch = device.launches()[number].configuration;
            isa::LoadTrace::Launch& entry = result->launches.emplace_back();
            entry.warps_per_cta = static_cast<unsigned>((launch.block.count() + isa::kWarpSize - 1) / isa::kWarpSize);
            entry.warps.resize(launch.grid.count() * entry.warps_per_cta);
            for (auto& [key, loads] : warps_[number]) {
                const auto [z, y, x, warp] = key;
                const std::uint64_t cta = x + launch.grid.x * (y + std::uint64_t{launch.grid.y} * z);
                entry.warps[cta * entry.warps_per_cta + warp] = std::move(loads);
            }
        }
        return result;
    }

  private:
    using Key = std::array<std::uint32_t, 4>;

    static bool in_global_memory(std::uint64_t address) {
        return address >= isa::kGlobalBase && address - isa::kGlobalBase < isa::kGlobalBytes;
    }
    void add(std::uint64_t line) {
        std::uint64_t* const end = load_.lines + std::min(load_.count, isa::LoadTrace::kLines);
        if (std::find(load_.lines, end, line) != end) { return; }
        if (load_.count < isa::LoadTrace::kLines) { *end = line; }
        ++load_.count;
    }
    void finish() {
        if (open_ && load_.count <= isa::LoadTrace::kLines) { warps_.back()[key_].push_back(load_); }
        open_ = false;
        key_ = {};
        load_ = {};
    }

    std::vector<std::map<Key, isa::LoadTrace::Warp>> warps_;  // by launch
    Key key_{};
    isa::LoadTrace::Load load_{};
    unsigned lane_ = 0;
    bool open_ = false;
};

}  // namespace

std::shared_ptr<const isa::LoadTrace> find_loads(const isa::KernelTable& kernels, Workload& workload,
                                                 const Configuration& configuration) {
    for (const isa::Kernel& kernel : kernels) {
        if (dequeues(kernel)) {
            throw ConfigurationError(
                "it does not fill the queues that kernel {} dequeues from; choose another prefetcher, or "
                "kernel.transform = none and no sm.issue_extension that brings one",
                kernel.name);
        }
    }
    LoadFinder finder;
    EmulatedDevice device(kernels, {.observer = &finder, .simt = gpu::simt_model(configuration)});
    PrintingDevice printing(device, device.kernels().image, [](std::string_view) {});
    workload.run(printing);
    return finder.trace(device);
}

}  // namespace lookahead
