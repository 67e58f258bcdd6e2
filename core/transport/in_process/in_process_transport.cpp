#include "core/transport/in_process/in_process_transport.h"

#include <algorithm>
#include <cstdlib>

#include "core/error/error.h"

namespace lookahead {

namespace {

[[noreturn]] void fail_to_send(int to) {
    throw InternalError("something was sent to rank {} in a run of one process", to);
}

[[noreturn]] void fail_to_receive(int from) {
    throw InternalError("something was awaited from rank {} in a run of one process", from);
}

class PlainCounter final : public SharedCounter {
  public:
    std::uint64_t next() override { return value_++; }
    std::uint64_t value() override { return value_; }
    void progress() override {}
    void rest(const std::function<void()>&) override {}

  private:
    std::uint64_t value_ = 0;
};

}  // namespace

void InProcessTransport::send(int to, ByteBuffer&) {
    fail_to_send(to);
}

bool InProcessTransport::try_receive(int, std::span<const std::byte>&) {
    return false;
}

std::span<const std::byte> InProcessTransport::receive(int from) {
    fail_to_receive(from);
}

void InProcessTransport::send_bytes(int to, std::string_view) {
    fail_to_send(to);
}

std::string InProcessTransport::receive_bytes(int from) {
    fail_to_receive(from);
}

void InProcessTransport::all_gather(std::span<const std::uint64_t> mine, std::span<std::uint64_t> all) {
    std::copy(mine.begin(), mine.end(), all.begin());
}

std::unique_ptr<SharedCounter> InProcessTransport::make_counter() {
    return std::make_unique<PlainCounter>();
}

void InProcessTransport::abort(int exit_code) {
    std::_Exit(exit_code);
}

}  // namespace lookahead
