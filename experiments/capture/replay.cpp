// The workload `capture`: replays the calls of a captured CUDA program. The bytes that it copied back are the
// reference.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "components/emulator/emulated_device.h"
#include "components/frontend/cudart/protocol.h"
#include "components/frontend/finaliser/finalise.h"
#include "components/frontend/finaliser/layout/layout.h"
#include "components/frontend/ptx/parse_module.h"
#include "core/error/error.h"
#include "core/text/readable_name.h"
#include "experiments/capture/capture.h"
#include "experiments/capture/moved_variables.h"
#include "experiments/capture/race_finder.h"
#include "experiments/workloads/workload.h"

namespace lookahead {

struct ReplayParameters {
    LOOKAHEAD_PARAMETER(std::string, file, {}, {.help = "The capture, as `lookahead capture` writes it."});
    LOOKAHEAD_ALL_DECLARED;
};

namespace {

class Replay : public Workload {
  public:
    using Parameters = ReplayParameters;

    Replay(const Parameters& parameters, const WorkloadContext&) {
        if (parameters.file.empty()) {
            throw ConfigurationError("the workload capture needs a file: give --set file=FILE.h5");
        }
        capture_ = read_capture(parameters.file);
        ptx_ = capture_.ptx();
    }

    ProgramCode code() const override { return {ptx_, capture_.ptx_name, "ptx", capture_.cubins}; }

    std::uint32_t most_threads(std::string_view kernel) const override {
        std::uint64_t most = 0;
        for (const CapturedCall& call : capture_.calls) {
            if (call.kind == CapturedCall::Kind::launch && call.error == 0 && call.kernel == kernel) {
                most = std::max(most, call.configuration.block.count());
            }
        }
        return static_cast<std::uint32_t>(most);
    }

    std::uint64_t launches() const override {
        return static_cast<std::uint64_t>(std::ranges::count_if(capture_.calls, reaches_device));
    }

    void run(Device& target) override {
        MovedVariables moved(target, finaliser::module_image(parsed()));
        Device& device = moved.none() ? target : moved;
        copies_ = 0;
        bytes_ = 0;
        difference_.clear();
        different_call_ = kNoCall;
        last_launch_ = "no kernel";
        launches_ = 0;
        for (std::size_t i = 0; i < capture_.calls.size(); ++i) { replay(device, capture_.calls[i], i); }
    }

    CheckReport check() const override {
        if (!difference_.empty()) {
            return {Outputs::mismatch, different_call_ == kNoCall
                                           ? difference_
                                           : fmt::format("a copy differs: {}; {}", explanation(), difference_)};
        }
        if (copies_ == 0) { return {Outputs::unchecked, "the captured program copied nothing back"}; }
        return {Outputs::match, fmt::format("{} copies of {} bytes as the captured program got them", copies_, bytes_)};
    }

  private:
    static constexpr std::size_t kNoCall = static_cast<std::size_t>(-1);

    /// Whether a launch reaches the device: one that CUDA refused does not. One that failed there must fail here.
    static bool reaches_device(const CapturedCall& call) {
        return call.kind == CapturedCall::Kind::launch && (call.error == 0 || cudart::loses_device(call.error));
    }

    /// Replays once more up to the difference on the emulator, watches its place and looks for races.
    std::string explanation() const {
        RaceFinder finder(different_address_);
        try {
            EmulatedDevice device(finaliser::finalise_module(parsed(), {}), {.observer = &finder});
            Replay again(*this);
            for (std::size_t i = 0; i < different_call_; ++i) {
                const CapturedCall& call = capture_.calls[i];
                again.replay(device, call, i);
                using Kind = CapturedCall::Kind;
                if (call.kind == Kind::copy_to_device || call.kind == Kind::fill || call.kind == Kind::copy_on_device) {
                    finder.host_write(call.address, call.bytes, i);
                }
            }
        } catch (const Error& error) { return fmt::format("the emulator cannot tell who wrote it: {}", error.what()); }
        return finder.explain();
    }

    ptx::Module parsed() const { return ptx::parse_module(ptx_, capture_.ptx_name, ptx::Refusal::of_kernel); }

    void replay(Device& device, const CapturedCall& call, std::size_t number) {
        if (call.kind == CapturedCall::Kind::launch) {
            replay_launch(device, call, number);
        } else if (call.kind == CapturedCall::Kind::copy_from_device) {
            compare(device, call, number);
        } else {
            repeat(call, call.has_contents() ? capture_.contents(call) : std::vector<std::byte>(), device);
        }
    }

    void replay_launch(Device& device, const CapturedCall& call, std::size_t number) {
        if (!reaches_device(call)) { return; }
        device.launch(call.kernel, call.configuration, capture_.contents(call));
        last_launch_ = fmt::format("{} (launch {})", short_name(call.kernel), launches_++);
        if (call.error != 0 && difference_.empty()) {
            difference_ = fmt::format(
                "the launch of {} in call {} completes, but the captured program got CUDA's error {} for it",
                short_name(call.kernel), number, call.error);
        }
    }

    void compare(Device& device, const CapturedCall& call, std::size_t number) {
        const auto expected = capture_.contents(call);
        std::vector<std::byte> got(expected.size());
        device.copy_from_device(got, call.address);
        ++copies_;
        bytes_ += got.size();
        const auto [got_at, expected_at] = std::ranges::mismatch(got, expected);
        if (got_at == got.end() || !difference_.empty()) { return; }
        different_call_ = number;
        different_address_ = call.address + static_cast<std::uint64_t>(got_at - got.begin());
        difference_ = fmt::format(
            "the copy of call {} has {:#04x} at {:#x}, but the captured program got {:#04x}; "
            "the last kernel before it is {}",
            number, std::to_integer<unsigned>(*got_at), different_address_, std::to_integer<unsigned>(*expected_at),
            last_launch_);
    }

    Capture capture_;
    std::string ptx_;
    std::uint64_t copies_ = 0;
    std::uint64_t bytes_ = 0;
    std::string difference_;  ///< the first; empty: none
    std::size_t different_call_ = kNoCall;
    DeviceAddress different_address_ = 0;
    std::string last_launch_;
    std::uint64_t launches_ = 0;
};

}  // namespace

LOOKAHEAD_REGISTER_VARIANT(Workload, Replay, "capture", "The calls of a captured CUDA program, checked copy by copy.",
                           "")

}  // namespace lookahead
