#pragma once

#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "components/emulator/queue_source.h"
#include "tests/functional/dac/affine_interpreter.h"

namespace lookahead::dac {

/// Lets the emulator run kernels that the pass has split into two streams: interprets a CTA's affine stream as far as
/// its warps' reports allow. Compares static pair, mode and lanes at every dequeue, and requires empty queues at the
/// CTA's end; throws InternalError otherwise.
class ReferenceQueues final : public QueueSource {
  public:
    explicit ReferenceQueues(bool checked) : checked_(checked) {}

    void begin_launch(const isa::Kernel& kernel, const isa::Dim3& block,
                      const std::vector<isa::Row>& constants) override;
    void begin_cta(const isa::Dim3& ctaid) override;
    void end_cta(const isa::Dim3& ctaid) override;
    void addresses(const ExecutionPlace& place, isa::LaneMask active, std::uint64_t* addresses) override;
    isa::LaneMask predicate(const ExecutionPlace& place, isa::LaneMask active) override;
    bool is_there(const ExecutionPlace& place, bool is_predicate) override;
    void report(const ExecutionPlace& place, isa::LaneMask active, isa::LaneMask holds) override;

    std::uint64_t dequeued() const { return dequeued_; }
    std::uint64_t reports() const { return reports_; }
    std::size_t most_tuples() const { return most_tuples_; }

  private:
    using Cta = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    static Cta key(const isa::Dim3& ctaid) { return {ctaid.x, ctaid.y, ctaid.z}; }
    std::deque<Record>& queue(const ExecutionPlace& place, bool is_predicate);
    Record next(const ExecutionPlace& place, isa::LaneMask active, bool is_predicate);

    bool checked_;
    std::function<std::unique_ptr<AffineInterpreter>(const isa::Dim3&)> interpreter_of_;
    std::map<Cta, std::unique_ptr<AffineInterpreter>> ctas_;
    std::uint64_t dequeued_ = 0;
    std::uint64_t reports_ = 0;
    std::size_t most_tuples_ = 0;
};

/// The constant rows' values, which are the same in all lanes.
std::vector<std::uint32_t> first_lanes(const std::vector<isa::Row>& rows);

}  // namespace lookahead::dac
