#include "components/sm/lsu/request_path.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

namespace {

/// Passes one request at once. The load/store unit bypasses this variant: requests leave the miss queue directly.
class DirectPath final : public RequestPath {
  public:
    explicit DirectPath(const RequestPathArguments&) {}
    bool can_take(const QueuedRequest&) const override { return !holds_; }
    void take(const QueuedRequest& request, Cycle) override {
        request_ = request;
        holds_ = true;
    }
    const QueuedRequest* next(Cycle, bool) override { return holds_ ? &request_ : nullptr; }
    void sent(Cycle) override { holds_ = false; }
    Cycle next_event(Cycle now, bool) const override { return holds_ ? now + 1 : kCycleInfinity; }
    unsigned size() const override { return holds_; }
    void fields(StateArchive& archive) override {
        archive& holds_;
        if (holds_) { archive& request_; }
    }

  private:
    bool holds_ = false;
    QueuedRequest request_;
};

}  // namespace

std::unique_ptr<RequestPath> make_request_path(const Configuration& configuration) {
    if (chosen_variant<RequestPath>(configuration) == RequestPath::kSlot.default_variant) { return nullptr; }
    return make_chosen<RequestPath>(configuration, RequestPathArguments{configuration});
}

LOOKAHEAD_REGISTER_VARIANT(RequestPath, DirectPath, "direct", "Nothing between L1D and the network.",
                           "the default; every machine's baseline")

}  // namespace lookahead::gpu
