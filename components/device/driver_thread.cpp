#include "components/device/driver_thread.h"

#include <cstring>
#include <utility>

namespace lookahead::gpu {

std::string_view name_of(HostCall::Kind kind) {
    constexpr std::string_view names[] = {"allocate", "release", "copy_to_device", "copy_from_device",
                                          "fill",     "launch",  "use_pages"};
    return names[static_cast<std::size_t>(kind)];
}

/// The driver's side: passes every call to the caller of resume() and waits for its result.
class DriverThread::CallingDevice : public Device {
  public:
    CallingDevice(DriverThread& thread, const isa::ModuleImage& image) : thread_(thread), image_(image) {}

    void use_pages() override { make({.kind = HostCall::Kind::use_pages}); }
    DeviceAddress allocate(std::uint64_t bytes) override {
        return make({.kind = HostCall::Kind::allocate, .bytes = bytes}).allocated;
    }
    void release(DeviceAddress address) override { make({.kind = HostCall::Kind::release, .address = address}); }
    void copy_to_device(DeviceAddress destination, std::span<const std::byte> source) override {
        make(
            {.kind = HostCall::Kind::copy_to_device, .address = destination, .bytes = source.size(), .source = source});
    }
    void copy_from_device(std::span<std::byte> destination, DeviceAddress source) override {
        HostCall call{.kind = HostCall::Kind::copy_from_device,
                      .address = source,
                      .bytes = destination.size(),
                      .destination = destination};
        std::promise<ByteBuffer> staging;
        call.staging = staging.get_future();
        make(std::move(call), [&] {
            try {
                staging.set_value(zeros(destination.size()));
            } catch (...) { staging.set_exception(std::current_exception()); }
        });
    }
    void fill(DeviceAddress destination, std::byte value, std::uint64_t bytes) override {
        make({.kind = HostCall::Kind::fill, .address = destination, .bytes = bytes, .value = value});
    }
    DeviceAddress variable(std::string_view name) const override { return isa::address_of_variable(image_, name); }
    void launch(std::string_view kernel, const LaunchConfiguration& configuration,
                std::span<const std::byte> parameters) override {
        make({.kind = HostCall::Kind::launch,
              .bytes = parameters.size(),
              .source = parameters,
              .kernel = std::string(kernel),
              .configuration = configuration});
    }
    std::uint64_t nanoseconds() const override { return nanoseconds_; }

  private:
    static ByteBuffer zeros(std::size_t bytes) {
        ByteBuffer buffer;
        std::memset(buffer.extend(bytes), 0, bytes);
        return buffer;
    }

    /// Runs `meanwhile` in parallel with the caller's work on the call. Returns the call with its result.
    HostCall& make(HostCall&& call, auto meanwhile) {
        thread_.call_ = &call;
        thread_.hand_over(Turn::caller);
        meanwhile();
        thread_.wait_for(Turn::driver);
        if (thread_.cancelled_) { throw Cancelled{}; }
        nanoseconds_ = call.nanoseconds;
        return call;
    }
    HostCall& make(HostCall&& call) {
        return make(std::move(call), [] {});
    }

    DriverThread& thread_;
    const isa::ModuleImage& image_;
    std::uint64_t nanoseconds_ = 0;
};

DriverThread::DriverThread(Program program, const isa::ModuleImage& image)
    : program_(std::move(program)),
      device_(std::make_unique<CallingDevice>(*this, image)),
      thread_([this] { run(); }) {}

DriverThread::~DriverThread() {
    if (!ended_) {
        cancelled_ = true;
        hand_over(Turn::driver);
    }
    thread_.join();
}

void DriverThread::run() {
    wait_for(Turn::driver);
    if (!cancelled_) {
        try {
            program_(*device_);
        } catch (const Cancelled&) {
            // The run ended before the driver did.
        } catch (...) { error_ = std::current_exception(); }
    }
    ended_ = true;
    call_ = nullptr;
    hand_over(Turn::caller);
}

void DriverThread::hand_over(Turn to) {
    {
        const std::lock_guard lock(mutex_);
        turn_ = to;
    }
    turn_changed_.notify_one();
}

void DriverThread::wait_for(Turn mine) {
    std::unique_lock lock(mutex_);
    turn_changed_.wait(lock, [&] { return turn_ == mine; });
}

HostCall* DriverThread::resume() {
    hand_over(Turn::driver);
    wait_for(Turn::caller);
    if (error_) { std::rethrow_exception(std::exchange(error_, nullptr)); }
    return call_;
}

}  // namespace lookahead::gpu
