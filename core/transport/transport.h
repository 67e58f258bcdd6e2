#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/message/byte_buffer.h"

namespace lookahead {

/// A number that all ranks share, in the memory of rank 0. All ranks make it together and destroy it together, unless
/// an exception ends a rank's work.
class SharedCounter {
  public:
    virtual ~SharedCounter() = default;

    /// Returns how often it was called before, by all ranks together. Rank 0 need not do anything for other ranks'
    /// calls.
    virtual std::uint64_t next() = 0;
    /// The next result of next(), unless another rank's call comes first.
    virtual std::uint64_t value() = 0;
    /// Advances other ranks' calls if the network needs this rank for them; a sleeping rank has to call it from time to
    /// time. It does not wait.
    virtual void progress() = 0;
    /// Waits, without using the core, until every rank has called it; calls `meanwhile` now and then.
    virtual void rest(const std::function<void()>& meanwhile = {}) = 0;
};

/// Communication between the ranks of a run. Packets of one sender arrive in the order in which they were sent.
class Transport {
  public:
    virtual ~Transport() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// Bytes for the transport's own use at the front of every packet.
    static constexpr std::size_t kPacketHeaderBytes = 8;

    /// Sends a packet, whose first kPacketHeaderBytes belong to the transport. Takes the buffer and leaves an empty one
    /// in its place, so the caller need not wait until the bytes have left.
    virtual void send(int to, ByteBuffer& packet) = 0;
    /// Returns whether a packet from the rank has come; if so, sets `packet` to its bytes without the transport's
    /// header. The bytes are valid until the next call for this rank.
    virtual bool try_receive(int from, std::span<const std::byte>& packet) = 0;
    /// The same, but waits for a packet.
    virtual std::span<const std::byte> receive(int from) = 0;

    /// Gathers each rank's words, in the order of the ranks; all ranks give the same number of words.
    virtual void all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all) = 0;

    /// Sends bytes of any length to the rank `to`, which calls receive_bytes, and waits until they have left.
    virtual void send_bytes(int to, std::string_view bytes) = 0;
    virtual std::string receive_bytes(int from) = 0;
    /// Returns on rank 0 every rank's bytes, in the order of the ranks, and elsewhere nothing.
    virtual std::vector<std::string> gather(const std::string& mine) = 0;
    /// Replaces the bytes on every rank by those of the rank `root`.
    virtual void broadcast(std::string& bytes, int root = 0) = 0;
    virtual void barrier() = 0;

    /// Like all_gather, over a separate channel, so that a rank may call it from any state. False if some rank has not
    /// come within `patience`; then only abort() may follow.
    virtual bool try_all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all,
                                std::chrono::milliseconds patience) = 0;
    static constexpr std::chrono::milliseconds kForever = std::chrono::milliseconds::max();

    /// Announces the number of threads with which this rank will compute. If a node's ranks have more threads than
    /// cores, waiting ranks yield their cores sooner. Every rank calls it. It has no effect on a transport that split()
    /// made, whose ranks wait like those of the whole.
    virtual void announce_threads(int threads) = 0;
    /// How often this rank checks for a message before it yields its core (Waiting).
    virtual int looks_before_yield() const = 0;

    /// Makes a transport for the ranks that give the same colour, in the order of the ranks here. Every rank calls it;
    /// the result must not outlive this transport.
    virtual std::unique_ptr<Transport> split(int colour) = 0;
    /// Makes a counter that begins at 0. Every rank calls it.
    virtual std::unique_ptr<SharedCounter> make_counter() = 0;

    /// Ends all ranks at once, also those of the transport from which this one was split. For errors after which the
    /// ranks cannot agree any more.
    [[noreturn]] virtual void abort(int exit_code) = 0;
};

/// Whether mpirun or srun started the program.
bool is_under_mpirun();

/// Makes a transport over MPI under mpirun or srun, and otherwise one for a single process that never calls MPI. Throws
/// ConfigurationError if a launcher started several processes that MPI does not join.
std::unique_ptr<Transport> make_transport();

}  // namespace lookahead
