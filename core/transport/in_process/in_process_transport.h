#pragma once

#include <climits>

#include "core/transport/transport.h"

namespace lookahead {

/// One rank, alone: it never calls MPI.
class InProcessTransport final : public Transport {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void send(int to, ByteBuffer& packet) override;
    bool try_receive(int from, std::span<const std::byte>& packet) override;
    std::span<const std::byte> receive(int from) override;
    void all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all) override;
    void send_bytes(int to, std::string_view bytes) override;
    std::string receive_bytes(int from) override;
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
    [[noreturn]] void abort(int exit_code) override;
};

}  // namespace lookahead
