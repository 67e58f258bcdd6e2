#pragma once

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "core/transport/transport.h"

namespace lookahead {

/// The transport of a run with one rank. It never calls MPI.
class InProcessTransport final : public Transport {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void send(int to, ByteBuffer&) override { fail_to_send(to); }
    bool try_receive(int, std::span<const std::byte>&) override { return false; }
    std::span<const std::byte> receive(int from) override { fail_to_receive(from); }
    void all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all) override {
        std::ranges::copy(mine, all.begin());
    }
    void send_bytes(int to, std::string_view) override { fail_to_send(to); }
    std::string receive_bytes(int from) override { fail_to_receive(from); }
    std::vector<std::string> gather(const std::string& mine) override { return {mine}; }
    void broadcast(std::string&, int) override {}
    void barrier() override {}
    bool try_all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all,
                        std::chrono::milliseconds) override {
        all_gather(mine, all);
        return true;
    }
    std::unique_ptr<Transport> split(int) override { return std::make_unique<InProcessTransport>(); }
    std::unique_ptr<SharedCounter> make_counter() override;
    void announce_threads(int) override {}
    int looks_before_yield() const override { return INT_MAX; }
    [[noreturn]] void abort(int exit_code) override { std::_Exit(exit_code); }

  private:
    [[noreturn]] static void fail_to_send(int to);
    [[noreturn]] static void fail_to_receive(int from);
};

}  // namespace lookahead
