#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "components/device/device.h"
#include "components/isa/module_image.h"
#include "core/message/byte_buffer.h"

namespace lookahead::gpu {

/// A call that a host driver makes on its Device, and its result.
struct HostCall {
    enum class Kind : std::uint8_t { allocate, release, copy_to_device, copy_from_device, fill, launch, use_pages };

    Kind kind = Kind::allocate;
    DeviceAddress address = 0;
    std::uint64_t bytes = 0;
    std::byte value{};
    std::span<const std::byte> source{};  ///< copy_to_device: the data; launch: the parameters
    std::span<std::byte> destination{};   ///< copy_from_device: the destination of the result
    std::string kernel{};
    LaunchConfiguration configuration{};
    /// For copy_from_device: a buffer of zeros for the data. Making fresh memory takes longer than filling it, so the
    /// waiting driver's thread makes it while the copy's first part is simulated.
    std::future<ByteBuffer> staging{};

    DeviceAddress allocated = 0;    ///< result of allocate
    std::uint64_t nanoseconds = 0;  ///< simulated time at which the call was complete; not set if repeated from a log
};

/// "copy_to_device", "launch", ...
std::string_view name_of(HostCall::Kind kind);

/// Runs a host driver on its own thread in strict alternation with the caller: at any time one of the two runs, so the
/// driver needs no locks and a run does not depend on the host's scheduling. (Only HostCall::staging is made in
/// parallel, not by the driver's code.)
class DriverThread {
  public:
    using Program = std::function<void(Device&)>;

    /// `image`: the variables of the driver's modules; it must outlive the thread.
    explicit DriverThread(Program program, const isa::ModuleImage& image = kNoVariables);
    /// Unwinds the driver at its current call.
    ~DriverThread();
    DriverThread(const DriverThread&) = delete;
    DriverThread& operator=(const DriverThread&) = delete;

    /// Continues the driver, from its start or from its last call, whose result has been filled in. Returns its next
    /// call, or nullptr when it has ended. Throws the driver's exceptions.
    HostCall* resume();

  private:
    class CallingDevice;
    struct Cancelled {};
    inline static const isa::ModuleImage kNoVariables;

    enum class Turn : std::uint8_t { caller, driver };

    void run();
    void hand_over(Turn to);
    void wait_for(Turn mine);

    Program program_;
    std::unique_ptr<CallingDevice> device_;
    // Semaphores are not used: libstdc++'s yield a few times before they sleep, which costs time slices if other
    // programs run.
    std::mutex mutex_;
    std::condition_variable turn_changed_;
    Turn turn_ = Turn::caller;
    HostCall* call_ = nullptr;
    bool cancelled_ = false;
    bool ended_ = false;
    std::exception_ptr error_;
    std::thread thread_;
};

}  // namespace lookahead::gpu
