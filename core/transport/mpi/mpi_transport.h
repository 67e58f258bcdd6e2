#pragma once

#include <memory>

#include "core/transport/transport.h"

namespace lookahead {

/// The ranks of an MPI communicator. Packets travel on a private duplicate of it.
class MpiTransport final : public Transport {
  public:
    /// Joins all ranks of MPI_COMM_WORLD. Initialises MPI if it is not initialised yet, and then also finalises it.
    MpiTransport();
    /// Joins the ranks of `*communicator`, an MPI_Comm of the caller. `piece_bytes`: the greatest size of one message
    /// when bytes are sent, gathered or broadcast, below 2 GiB; the same on every rank.
    explicit MpiTransport(const void* communicator, std::size_t piece_bytes = kPieceBytes);
    ~MpiTransport() override;

    int rank() const override;
    int size() const override;
    void send(int to, ByteBuffer& packet) override;
    bool try_receive(int from, std::span<const std::byte>& packet) override;
    std::span<const std::byte> receive(int from) override;
    void all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all) override;
    void send_bytes(int to, std::string_view bytes) override;
    std::string receive_bytes(int from) override;
    std::vector<std::string> gather(const std::string& mine) override;
    void broadcast(std::string& bytes, int root) override;
    void barrier() override;
    bool try_all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all,
                        std::chrono::milliseconds patience) override;
    void announce_threads(int threads) override;
    int looks_before_yield() const override;
    std::unique_ptr<Transport> split(int colour) override;
    std::unique_ptr<SharedCounter> make_counter() override;
    [[noreturn]] void abort(int exit_code) override;

    /// A small packet announces packets above this size first, so that buffers can wait ready for all others.
    static constexpr std::size_t kPostedBytes = std::size_t{1} << 20;
    static constexpr std::size_t kPieceBytes = std::size_t{64} << 20;

  private:
    class Peer;
    class Session;

    Peer& peer(int rank);
    template <class Move>
    void in_pieces(char* bytes, std::uint64_t size, Move move);

    std::unique_ptr<Session> session_;
    std::size_t piece_bytes_;
    std::vector<std::unique_ptr<Peer>> peers_;  ///< by rank; null for ranks that exchanged no packet with this one
};

}  // namespace lookahead
