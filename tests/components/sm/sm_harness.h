#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "components/protocols/launch.h"
#include "components/protocols/ports.h"
#include "core/lp/lp_binding.h"
#include "core/port/message_router.h"
#include "tests/components/sm/fake_load_store_unit.h"

namespace lookahead::test {

/// A launch for SmHarness, which hands out the grid as a dispatcher would.
struct TestLaunch {
    isa::Dim3 grid = {};
    isa::Dim3 block = {};
    std::vector<std::uint32_t> parameters = {};  ///< as 32-bit words
    std::uint32_t kernel = 0;
    std::uint32_t preassigned = 1;
    Cycle begin = 10;
};

/// One SM with a FakeLoadStoreUnit, and a dispatcher that answers it over channels of kLatency cycles. Time passes in
/// run_until and run; the caller chooses the windows.
class SmHarness {
  public:
    static constexpr Cycle kLatency = 16;
    static constexpr std::uint64_t kInput = 1 << 14;  ///< global address that kernels with global_parameters() read

    struct Received {
        gpu::GpuMessage type;
        Cycle cycle;  ///< at which it arrived
        std::uint64_t value;
        std::uint64_t warp_instructions = 0;
        std::uint64_t thread_instructions = 0;
        bool operator==(const Received&) const = default;
    };

    explicit SmHarness(isa::KernelTable kernels, const std::string& toml = "", FakeMemory memory = {},
                       std::initializer_list<std::string_view> overrides = {}, gpu::SmIdentity identity = {3, 15})
        : kernels_(std::move(kernels)),
          identity_(identity),
          configuration_(configuration_of(toml, overrides)),
          clock_(configuration_.read<gpu::SmParameters>("sm").frequency),
          router_({0, 1}, 2, 1),
          fake_memory_(memory) {
        make_sm();
    }

    gpu::StreamingMultiprocessor& sm() { return *sm_; }
    FakeLoadStoreUnit& memory() { return *memory_; }
    const ClockDomain& clock() const { return clock_; }
    const std::vector<Received>& received() const { return received_; }
    const gpu::SmCounters& counters() const { return sm_->counters(); }
    Cycle now() const { return now_; }

    /// Queues a message that arrives `extra` femtoseconds after the edge of cycle `at`.
    template <class P>
    void send(Cycle at, const P& payload, std::span<const std::uint32_t> words = {}, Time extra = 0) {
        const std::size_t bytes = (sizeof(P) + words.size_bytes() + 7) / 8 * 8;
        Message message;
        message.words.resize((sizeof(MessageHeader) + bytes) / 8, 0);
        MessageHeader header{};
        header.time = clock_.edge(at) + extra;
        header.channel = 77;
        header.sequence = sequence_++;
        header.in_port = gpu::kSmDispatchPort;
        header.type = P::kType;
        header.payload_words = static_cast<std::uint8_t>(bytes / 8);
        auto* place = reinterpret_cast<std::byte*>(message.words.data());
        std::memcpy(place, &header, sizeof header);
        std::memcpy(place + sizeof header, &payload, sizeof payload);
        if (!words.empty()) { std::memcpy(place + sizeof header + sizeof payload, words.data(), words.size_bytes()); }
        const auto later = std::find_if(inputs_.begin(), inputs_.end(),
                                        [&](const Message& other) { return other.header().time > header.time; });
        inputs_.insert(later, std::move(message));
    }

    /// Begins a launch and assigns its first CTAs, one per cycle.
    void launch(const TestLaunch& launch) {
        gpu::KernelBegin begin{};
        begin.launch = launches_++;
        begin.kernel = launch.kernel;
        begin.grid = launch.grid;
        begin.block = launch.block;
        begin.parameter_bytes = static_cast<std::uint32_t>(launch.parameters.size() * 4);
        begin_launch(launch, begin);
    }

    void run_to_end(const TestLaunch& launch) {
        this->launch(launch);
        LOOKAHEAD_ASSERT(run(), "the kernel does not end");
    }
    /// Sets word i of the input to value(i).
    template <class Value>
    void fill_input(unsigned words, Value value) {
        memory_->fill_global_words(kInput, words, value);
    }
    /// The cycles of all schedulers charged to the cause.
    std::uint64_t charged(gpu::SchedulerCycle cause) const {
        std::uint64_t cycles = 0;
        for (const gpu::SchedulerCounters& scheduler : sm_->scheduler_counters()) { cycles += scheduler[cause]; }
        return cycles;
    }

    void run_until(Cycle cycle) { run_until_time(clock_.edge(cycle)); }

    void run_until_time(Time horizon) {
        std::vector<const MessageHeader*> inbox;
        std::size_t count = 0;
        while (count < inputs_.size() && inputs_[count].header().time < horizon) {
            inbox.push_back(&inputs_[count++].header());
        }
        sm_->advance(inbox, horizon);
        inputs_.erase(inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(count));
        now_ = clock_.cycle_at_or_after(horizon);
        collect();
    }

    /// Advances in windows of kLatency cycles until the launch has drained; returns false if it has not by `limit`.
    bool run(Cycle limit = 1'000'000) {
        while (!done() && now_ < limit) { run_until(now_ + kLatency); }
        return done();
    }
    bool done() const { return drained_ == launches_ && inputs_.empty(); }

    /// The cycles in which the SM issues its first `count` instructions, stepping cycle by cycle.
    std::vector<Cycle> issue_cycles(std::size_t count, Cycle limit = 10'000) {
        std::vector<Cycle> cycles;
        std::uint64_t before = counters().warp_instructions;
        while (cycles.size() < count && now_ < limit) {
            run_until(now_ + 1);
            for (; before < counters().warp_instructions; ++before) { cycles.push_back(now_ - 1); }
        }
        return cycles;
    }

    std::uint64_t state_hash() const { return hash_of_state(*sm_); }

    /// Advances to `horizon` in windows short enough for the dispatcher's answers.
    void run_until_window_by_window(Time horizon) {
        while (clock_.edge(now_ + kLatency) < horizon) { run_until(now_ + kLatency); }
        run_until_time(horizon);
    }

    void replace_sm_by_restored_copy() {
        const auto fields = [this](StateArchive& archive) { LpBinding::fields(*sm_, archive); };
        const std::string bytes = state_to_bytes(fields);
        make_sm();
        state_from_bytes(bytes, "the SM", fields);
    }

  private:
    static Configuration configuration_of(const std::string& toml, std::initializer_list<std::string_view> overrides) {
        Configuration configuration = Configuration::from_toml(toml, "test.toml");
        for (const std::string_view each : overrides) { configuration.override_value(each); }
        return configuration;
    }
    void make_sm() {
        sm_ = std::make_unique<gpu::StreamingMultiprocessor>(
            configuration_, kernels_, identity_, [this](const gpu::LoadStoreServices& services) {
                auto unit = std::make_unique<FakeLoadStoreUnit>(fake_memory_, services);
                memory_ = unit.get();
                return unit;
            });
        const ChannelDescription to_dispatcher{0, gpu::kSmToDispatcher, 1, 1, 0, clock_.least_span(kLatency), 1};
        LpBinding::bind(*sm_, 0, {"sm3", "sm"}, std::span(&to_dispatcher, 1), 0, router_);
    }

    struct Message {
        std::vector<std::uint64_t> words;
        const MessageHeader& header() const { return *reinterpret_cast<const MessageHeader*>(words.data()); }
    };

    void begin_launch(const TestLaunch& launch, const gpu::KernelBegin& begin) {
        send(launch.begin, begin, launch.parameters);
        launch_ = begin.launch;
        ctas_ = launch.grid.count();
        completed_ = 0;
        const auto limits = configuration_.read<gpu::SmParameters>("sm");
        const std::uint64_t first = std::min<std::uint64_t>(
            ctas_, gpu::ctas_per_sm(limits, kernels_[launch.kernel], launch.block, 0) + launch.preassigned);
        for (next_cta_ = 0; next_cta_ < first; ++next_cta_) {
            send(launch.begin + static_cast<Cycle>(next_cta_), gpu::CtaAssign{next_cta_});
        }
    }

    /// Reads the SM's messages, and answers as the dispatcher would.
    void collect() {
        ByteBuffer& bytes = router_.inboxes()[1].arrived;
        for (std::size_t at = 0; at < bytes.size();) {
            const auto& message = *reinterpret_cast<const MessageHeader*>(bytes.data() + at);
            answer(message);
            at += message.total_bytes();
        }
        bytes.clear();
    }
    void answer(const MessageHeader& message) {
        const Cycle arrived = clock_.cycle_at_or_after(message.time);
        const auto type = static_cast<gpu::GpuMessage>(message.type);
        if (type == gpu::GpuMessage::cta_completed) {
            received_.push_back({type, arrived, message.as<gpu::CtaCompleted>().cta});
            ++completed_;
            if (next_cta_ < ctas_) {
                send(arrived + kLatency, gpu::CtaAssign{next_cta_++});
            } else if (completed_ == ctas_) {
                send(arrived + kLatency, gpu::KernelEnd{launch_});
            }
        } else {
            const auto& drained = message.as<gpu::SmDrained>();
            received_.push_back(
                {type, arrived, drained.launch, drained.warp_instructions, drained.thread_instructions});
            ++drained_;
        }
    }

    isa::KernelTable kernels_;
    gpu::SmIdentity identity_;  ///< this SM gets all CTAs, however many SMs there are
    Configuration configuration_;
    ClockDomain clock_;
    MessageRouter router_;
    FakeMemory fake_memory_;
    std::unique_ptr<gpu::StreamingMultiprocessor> sm_;
    FakeLoadStoreUnit* memory_ = nullptr;
    std::vector<Message> inputs_;
    std::vector<Received> received_;
    std::uint32_t sequence_ = 0;
    std::uint32_t launches_ = 0;
    std::uint64_t launch_ = 0;
    std::uint64_t ctas_ = 0;
    std::uint64_t next_cta_ = 0;
    std::uint64_t completed_ = 0;
    std::uint32_t drained_ = 0;
    Cycle now_ = 0;
};

/// An SM whose instructions reach their units at once, which makes the other stages visible to the cycle.
class PlainSmHarness : public SmHarness {
  public:
    explicit PlainSmHarness(isa::KernelTable kernels, const std::string& toml = "", FakeMemory memory = {})
        : SmHarness(std::move(kernels), toml, memory,
                    {"sm.operand_collectors=false", "l1i.enabled=false", "constant_cache.enabled=false"}) {}
};

}  // namespace lookahead::test
