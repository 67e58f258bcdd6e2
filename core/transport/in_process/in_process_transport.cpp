#include "core/transport/in_process/in_process_transport.h"

#include "core/error/error.h"

namespace lookahead {

namespace {

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

void InProcessTransport::fail_to_send(int to) {
    throw InternalError("something was sent to rank {} in a run of one process", to);
}

void InProcessTransport::fail_to_receive(int from) {
    throw InternalError("something was awaited from rank {} in a run of one process", from);
}

std::unique_ptr<SharedCounter> InProcessTransport::make_counter() {
    return std::make_unique<PlainCounter>();
}

}  // namespace lookahead
