#include "core/transport/mpi/mpi_transport.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <thread>

#include "core/error/error.h"
#include "core/transport/mpi/mpi_environment.h"
#include "core/transport/waiting.h"

namespace lookahead {
namespace {

constexpr int kPacketTag = 1;
constexpr int kLargePacketTag = 2;
constexpr int kGatherTag = 3;
constexpr int kPieceTag = 4;

MPI_Comm duplicate(MPI_Comm communicator) {
    const YieldWithinMpi yield;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(communicator, &copy);
    return copy;
}

/// The number of checks for packets of another rank before this rank yields the core. If this node's ranks have more
/// threads than cores, the other rank may need the core. Otherwise only other programs can need it, so this rank first
/// checks for some 20 ms.
int looks_on_node(MPI_Comm communicator, int threads) {
    const YieldWithinMpi yield;
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    MPI_Allreduce(MPI_IN_PLACE, &cores, static_cast<int>(sizeof cores), MPI_BYTE, MPI_BOR, node);
    MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_SUM, node);
    MPI_Comm_free(&node);
    return threads > CPU_COUNT(&cores) ? Waiting::kLooksOfCrowd : 200'000;
}

template <class Came>
void wait_until(Came came, Waiting& waiting) {
    for (waiting.begin(); !came(); waiting.after_a_look()) {}
}

void wait_for_all(std::span<MPI_Request> requests, Waiting& waiting) {
    const auto are_done = [&] {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        return done != 0;
    };
    wait_until(are_done, waiting);
}

}  // namespace

class MpiTransport::Session {
  public:
    Session() {
        int initialised = 0;
        MPI_Initialized(&initialised);
        if (initialised == 0) {
            prepare_mpi_environment();
            int provided = 0;
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
            owns_mpi_ = true;
        }
        use(MPI_COMM_WORLD);
    }
    explicit Session(MPI_Comm communicator) { use(communicator); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() {
        const YieldWithinMpi yield;
        MPI_Comm_free(&farewell_);
        MPI_Comm_free(&communicator_);
        if (owns_mpi_) { MPI_Finalize(); }
    }
    MPI_Comm communicator() const { return communicator_; }
    MPI_Comm farewell() const { return farewell_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    Waiting& waiting() { return waiting_; }
    void announce_threads(int threads) {
        if (!is_part_) { waiting_ = Waiting(looks_on_node(communicator_, threads)); }
    }
    void wait_as(const Session& whole) {
        waiting_ = whole.waiting_;
        is_part_ = true;
    }

    /// Starts a non-blocking collective operation and waits for it: MPI's own wait would not yield the core to the rank
    /// that it waits for.
    template <class Start>
    void finish(Start start) {
        MPI_Request request = MPI_REQUEST_NULL;
        start(communicator_, &request);
        wait_for_all({&request, 1}, waiting_);
    }

  private:
    void use(MPI_Comm communicator) {
        communicator_ = duplicate(communicator);
        farewell_ = duplicate(communicator);
        MPI_Comm_rank(communicator_, &rank_);
        MPI_Comm_size(communicator_, &size_);
        announce_threads(1);
    }

    bool owns_mpi_ = false;
    MPI_Comm communicator_ = MPI_COMM_NULL;
    MPI_Comm farewell_ = MPI_COMM_NULL;  ///< for try_all_gather
    int rank_ = 0;
    int size_ = 1;
    Waiting waiting_{0};
    bool is_part_ = false;
};

/// The packets to and from one other rank. Two buffers take turns, so that one is always posted while the packet in the
/// other is read. They are made when the first packet is awaited.
class MpiTransport::Peer {
  public:
    Peer(MPI_Comm communicator, int rank, Waiting& waiting)
        : communicator_(communicator), rank_(rank), waiting_(waiting) {}
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() {
        for (Slot& slot : slots_) {
            if (slot.request != MPI_REQUEST_NULL) {
                MPI_Cancel(&slot.request);
                MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
            }
        }
        for (Departure& departure : departures_) { wait_for_all(departure.requests, waiting_); }
    }

    void send(ByteBuffer& packet) {
        Departure& departure = free_departure();
        departure.bytes.clear();
        departure.bytes.swap(packet);
        const std::uint64_t size = departure.bytes.size();
        std::memcpy(departure.bytes.data(), &size, sizeof size);
        if (size > kPostedBytes) {
            LOOKAHEAD_ASSERT(size <= INT32_MAX, "a packet of more than 2 GiB for rank {}", rank_);
            departure.announced = size;
            MPI_Isend(&departure.announced, sizeof departure.announced, MPI_BYTE, rank_, kPacketTag, communicator_,
                      &departure.requests[1]);
        }
        MPI_Isend(departure.bytes.data(), static_cast<int>(size), MPI_BYTE, rank_,
                  size > kPostedBytes ? kLargePacketTag : kPacketTag, communicator_, departure.requests.data());
    }

    bool try_receive(std::span<const std::byte>& packet) {
        recycle();
        if (slots_[0].bytes == nullptr) [[unlikely]] {
            for (Slot& slot : slots_) {
                slot.bytes = std::make_unique_for_overwrite<std::byte[]>(kPostedBytes);
                post(slot);
            }
        }
        int arrived = 0;
        MPI_Test(&slots_[turn_].request, &arrived, MPI_STATUS_IGNORE);
        if (arrived != 0) { packet = open(); }
        return arrived != 0;
    }

    std::span<const std::byte> receive() {
        std::span<const std::byte> packet;
        wait_until([&] { return try_receive(packet); }, waiting_);
        return packet;
    }

  private:
    struct Slot {
        std::unique_ptr<std::byte[]> bytes;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    struct Departure {
        ByteBuffer bytes;
        std::uint64_t announced = 0;
        std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};  ///< for the bytes and their number
    };

    void post(Slot& slot) {
        MPI_Irecv(slot.bytes.get(), static_cast<int>(kPostedBytes), MPI_BYTE, rank_, kPacketTag, communicator_,
                  &slot.request);
    }

    void recycle() {
        if (opened_) {
            post(slots_[turn_ ^ 1]);
            opened_ = false;
        }
    }

    std::span<const std::byte> open() {
        const std::byte* bytes = slots_[turn_].bytes.get();
        turn_ ^= 1;
        opened_ = true;
        std::uint64_t size = 0;
        std::memcpy(&size, bytes, sizeof size);
        if (size > kPostedBytes) {
            large_.clear();
            large_.extend(size);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(large_.data(), static_cast<int>(size), MPI_BYTE, rank_, kLargePacketTag, communicator_, &request);
            wait_for_all({&request, 1}, waiting_);
            bytes = large_.data();
        }
        return {bytes + kPacketHeaderBytes, size - kPacketHeaderBytes};
    }

    Departure& free_departure() {
        for (Departure& departure : departures_) {
            int left = 0;
            MPI_Testall(static_cast<int>(departure.requests.size()), departure.requests.data(), &left,
                        MPI_STATUSES_IGNORE);
            if (left != 0) { return departure; }
        }
        return departures_.emplace_back();
    }

    MPI_Comm communicator_;
    int rank_;
    Waiting& waiting_;
    std::array<Slot, 2> slots_;
    unsigned turn_ = 0;
    bool opened_ = false;
    ByteBuffer large_;
    std::deque<Departure> departures_;  // MPI has pointers to them
};

MpiTransport::MpiTransport() : MpiTransport(nullptr, kPieceBytes) {}

MpiTransport::MpiTransport(const void* communicator, std::size_t piece_bytes)
    : session_(communicator == nullptr ? std::make_unique<Session>()
                                       : std::make_unique<Session>(*static_cast<const MPI_Comm*>(communicator))),
      piece_bytes_(piece_bytes),
      peers_(static_cast<std::size_t>(session_->size())) {}

MpiTransport::~MpiTransport() {
    peers_.clear();
}

int MpiTransport::rank() const {
    return session_->rank();
}
int MpiTransport::size() const {
    return session_->size();
}

MpiTransport::Peer& MpiTransport::peer(int rank) {
    std::unique_ptr<Peer>& peer = peers_[static_cast<std::size_t>(rank)];
    if (peer == nullptr) [[unlikely]] {
        peer = std::make_unique<Peer>(session_->communicator(), rank, session_->waiting());
    }
    return *peer;
}

void MpiTransport::send(int to, ByteBuffer& packet) {
    peer(to).send(packet);
}

bool MpiTransport::try_receive(int from, std::span<const std::byte>& packet) {
    return peer(from).try_receive(packet);
}

std::span<const std::byte> MpiTransport::receive(int from) {
    return peer(from).receive();
}

void MpiTransport::all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all) {
    const int words = static_cast<int>(mine.size());
    // MPI plans every non-blocking gather, which takes longer than a few messages.
    constexpr int kMostDirect = 8;
    if (size() > kMostDirect) {
        session_->finish([&](MPI_Comm communicator, MPI_Request* request) {
            MPI_Iallgather(mine.data(), words, MPI_UINT64_T, all.data(), words, MPI_UINT64_T, communicator, request);
        });
        return;
    }
    const MPI_Comm communicator = session_->communicator();
    std::vector<MPI_Request> requests;
    std::ranges::copy(mine, all.begin() + rank() * words);
    for (int from = 0; from < size(); ++from) {
        if (from != rank()) {
            MPI_Irecv(all.data() + from * words, words, MPI_UINT64_T, from, kGatherTag, communicator,
                      &requests.emplace_back());
        }
    }
    for (int to = 0; to < size(); ++to) {
        if (to != rank()) {
            MPI_Isend(mine.data(), words, MPI_UINT64_T, to, kGatherTag, communicator, &requests.emplace_back());
        }
    }
    wait_for_all(requests, session_->waiting());
}

/// MPI counts bytes in int and allocates memory for messages under way, so long messages are sent in pieces.
template <class Move>
void MpiTransport::in_pieces(char* bytes, std::uint64_t size, Move move) {
    for (std::uint64_t at = 0; at < size;) {
        const std::uint64_t piece = std::min<std::uint64_t>(size - at, piece_bytes_);
        session_->finish([&](MPI_Comm communicator, MPI_Request* request) {
            move(bytes + at, static_cast<int>(piece), communicator, request);
        });
        at += piece;
    }
}

void MpiTransport::send_bytes(int to, std::string_view bytes) {
    std::uint64_t size = bytes.size();
    session_->finish([&](MPI_Comm communicator, MPI_Request* request) {
        MPI_Isend(&size, 1, MPI_UINT64_T, to, kPieceTag, communicator, request);
    });
    in_pieces(const_cast<char*>(bytes.data()), size, [to](char* at, int piece, MPI_Comm all, MPI_Request* request) {
        MPI_Isend(at, piece, MPI_BYTE, to, kPieceTag, all, request);
    });
}

std::string MpiTransport::receive_bytes(int from) {
    std::uint64_t size = 0;
    session_->finish([&](MPI_Comm communicator, MPI_Request* request) {
        MPI_Irecv(&size, 1, MPI_UINT64_T, from, kPieceTag, communicator, request);
    });
    std::string bytes(size, '\0');
    in_pieces(bytes.data(), size, [from](char* at, int piece, MPI_Comm all, MPI_Request* request) {
        MPI_Irecv(at, piece, MPI_BYTE, from, kPieceTag, all, request);
    });
    return bytes;
}

std::vector<std::string> MpiTransport::gather(const std::string& mine) {
    if (rank() != 0) {
        send_bytes(0, mine);
        return {};
    }
    std::vector<std::string> parts{mine};
    for (int from = 1; from < size(); ++from) { parts.push_back(receive_bytes(from)); }
    return parts;
}

void MpiTransport::broadcast(std::string& bytes, int root) {
    std::uint64_t size = bytes.size();
    session_->finish([&](MPI_Comm communicator, MPI_Request* request) {
        MPI_Ibcast(&size, 1, MPI_UINT64_T, root, communicator, request);
    });
    bytes.resize(size);
    in_pieces(bytes.data(), size, [root](char* at, int piece, MPI_Comm all, MPI_Request* request) {
        MPI_Ibcast(at, piece, MPI_BYTE, root, all, request);
    });
}

void MpiTransport::barrier() {
    session_->finish([](MPI_Comm communicator, MPI_Request* request) { MPI_Ibarrier(communicator, request); });
}

bool MpiTransport::try_all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all,
                                  std::chrono::milliseconds patience) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const int words = static_cast<int>(mine.size());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(mine.data(), words, MPI_UINT64_T, all.data(), words, MPI_UINT64_T, session_->farewell(), &request);
    int done = 0;
    const auto is_over = [&] {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0 || (patience != kForever && Clock::now() - begin > patience);
    };
    wait_until(is_over, session_->waiting());
    return done != 0;
}

namespace {

/// A word on rank 0 that the others reach by one-sided operations.
class MpiCounter final : public SharedCounter {
  public:
    explicit MpiCounter(MPI_Comm communicator) : communicator_(duplicate(communicator)) {
        const YieldWithinMpi yield;
        int rank = 0;
        MPI_Comm_rank(communicator_, &rank);
        const MPI_Aint bytes = rank == 0 ? sizeof(std::uint64_t) : 0;
        MPI_Win_allocate(bytes, sizeof(std::uint64_t), MPI_INFO_NULL, communicator_, &word_, &window_);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
        if (rank == 0) {
            const std::uint64_t zero = 0;
            std::uint64_t before = 0;
            MPI_Fetch_and_op(&zero, &before, MPI_UINT64_T, 0, 0, MPI_REPLACE, window_);
            MPI_Win_flush(0, window_);
        }
        MPI_Barrier(communicator_);
    }
    MpiCounter(const MpiCounter&) = delete;
    MpiCounter& operator=(const MpiCounter&) = delete;
    ~MpiCounter() override {
        if (std::uncaught_exceptions() > 0) {
            return;  // other ranks may never call MPI_Win_free; the memory is freed when the process ends
        }
        const YieldWithinMpi yield;
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
        MPI_Comm_free(&communicator_);
    }

    std::uint64_t next() override { return fetch(MPI_SUM); }
    std::uint64_t value() override { return fetch(MPI_NO_OP); }
    void progress() override {
        int found = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &found, MPI_STATUS_IGNORE);
    }
    void rest(const std::function<void()>& meanwhile) override {
        constexpr std::chrono::microseconds kNap{500};
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(communicator_, &request);
        for (int done = 0; done == 0;) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (done == 0) {
                std::this_thread::sleep_for(kNap);
                if (meanwhile) { meanwhile(); }
            }
        }
    }

  private:
    std::uint64_t fetch(MPI_Op operation) {
        const std::uint64_t one = 1;
        std::uint64_t before = 0;
        MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, 0, 0, operation, window_);
        MPI_Win_flush(0, window_);
        return before;
    }

    MPI_Comm communicator_;
    MPI_Win window_ = MPI_WIN_NULL;
    std::uint64_t* word_ = nullptr;
};

}  // namespace

void MpiTransport::announce_threads(int threads) {
    session_->announce_threads(threads);
}

int MpiTransport::looks_before_yield() const {
    return session_->waiting().looks();
}

std::unique_ptr<Transport> MpiTransport::split(int colour) {
    MPI_Comm part = MPI_COMM_NULL;
    {
        const YieldWithinMpi yield;
        MPI_Comm_split(session_->communicator(), colour, rank(), &part);
    }
    auto transport = std::make_unique<MpiTransport>(&part, piece_bytes_);  // the transport duplicates it
    transport->session_->wait_as(*session_);
    MPI_Comm_free(&part);
    return transport;
}

std::unique_ptr<SharedCounter> MpiTransport::make_counter() {
    return std::make_unique<MpiCounter>(session_->communicator());
}

void MpiTransport::abort(int exit_code) {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
}

}  // namespace lookahead
