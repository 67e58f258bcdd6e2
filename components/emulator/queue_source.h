#pragma once

#include <cstdint>

#include "components/emulator/memory_fault.h"
#include "components/isa/kernel.h"
#include "components/isa/launch.h"

namespace lookahead {

/// Supplies the values that a kernel dequeues and one of its further programs enqueues, because the emulator runs a
/// kernel's own code only. CTAs may run at the same time; `place` tells a warp's CTA.
class QueueSource {
  public:
    virtual ~QueueSource() = default;
    /// A launch begins. `constants` are the launch's rows; kernel and rows must live until the next launch begins.
    virtual void begin_launch(const isa::Kernel& kernel, const isa::Dim3& block,
                              const std::vector<isa::Row>& constants) = 0;
    virtual void begin_cta(const isa::Dim3& ctaid) = 0;
    /// The CTA's warps have all exited.
    virtual void end_cta(const isa::Dim3& ctaid) = 0;
    /// The next address of the warp's queue, for each lane of `active`: that of the access at `place`.
    virtual void addresses(const ExecutionPlace& place, isa::LaneMask active, std::uint64_t* addresses) = 0;
    /// The lanes of `active` for which the next predicate of the warp's queue holds.
    virtual isa::LaneMask predicate(const ExecutionPlace& place, isa::LaneMask active) = 0;
    /// Whether the next address, or predicate, is there; false if it comes only after other warps have reported.
    virtual bool is_there(const ExecutionPlace& place, bool is_predicate) = 0;
    /// The warp reports the lanes of `active` for which a predicate holds.
    virtual void report(const ExecutionPlace& place, isa::LaneMask active, isa::LaneMask holds) = 0;
};

}  // namespace lookahead
