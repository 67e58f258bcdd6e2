#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "components/emulator/access_observer.h"

namespace lookahead {

/// Watches an emulated program for causes of results that differ from run to run: kernels that read the clock, and
/// accesses of two threads to one place, one of them a plain write, that no barrier orders. Accesses of one warp are in
/// order, and so are those of two launches. Barriers order the warps that pass them; atomics that guard data are not
/// recognised, so a reported race between CTAs may be ordered.
class RaceFinder : public AccessObserver {
  public:
    /// `watched`: the byte whose last writer is to be found.
    explicit RaceFinder(std::uint64_t watched) : watched_(watched) {}

    void begin_launch(std::uint64_t number) override;
    void access(const ExecutionPlace& place, unsigned lane, Kind kind, std::uint64_t address, unsigned bytes) override;
    /// The host wrote the bytes through the capture's call `call`.
    void host_write(std::uint64_t address, std::uint64_t bytes, std::uint64_t call);

    /// The last writer of the watched byte, and whether a race or the order of atomics explains a difference there.
    std::string explain() const;

  private:
    /// The author of an access.
    struct Actor {
        std::uint64_t launch = 0;
        std::uint64_t cta = 0;
        std::uint32_t thread = 0;
        std::uint32_t barriers = 0;
        std::uint32_t line = 0;
        bool atomic = false;
        bool in_free_order = false;  ///< an atomic whose result, or stored value, depends on the order
    };
    struct Place {
        std::optional<Actor> writer, reader;
    };
    /// Places beyond this many are not watched: a diagnosis has bounded memory.
    static constexpr std::size_t kMostPlaces = 4'000'000;

    /// Notes whether the kernel of this launch reads values that differ from machine to machine.
    void look_at_code(const isa::Kernel& kernel);
    void touch(const ExecutionPlace& place, const Actor& actor, Kind kind, std::uint64_t key, std::uint64_t address);
    void compare(const ExecutionPlace& place, const Actor& earlier, const Actor& later, const char* how,
                 std::uint64_t address);
    std::string describe(const ExecutionPlace& place, const Actor& actor) const;

    std::uint64_t watched_;
    std::uint64_t launch_ = 0;
    std::unordered_map<std::uint64_t, Place> places_;  ///< of this launch
    std::string writer_ = "nothing has written it";
    std::string race_;           ///< the first one
    std::string race_at_watch_;  ///< one at the watched byte
    std::string order_;  ///< the first atomics of several warps whose results or stored values depend on their order
    std::string order_at_watch_;
    std::optional<std::uint64_t> looked_at_;  ///< the last launch whose code was examined
    std::string machine_;                     ///< the first read of the clock, or of the SM's number
    bool incomplete_ = false;
};

}  // namespace lookahead
