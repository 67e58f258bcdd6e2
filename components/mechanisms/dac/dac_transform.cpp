#include <fmt/format.h>
#include <array>
#include <cstddef>
#include <cstdint>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "components/frontend/finaliser/transform/kernel_transform.h"
#include "components/mechanisms/dac/dac_parameters.h"
#include "components/mechanisms/dac/streams.h"

namespace lookahead::dac {

using finaliser::split_at_jumps;

namespace {

/// Which reader in the kernel's own stream keeps an instruction whose result the affine stream can compute.
enum class Reader : std::uint8_t {
    none,       ///< the instruction goes, or the affine stream cannot compute it
    shared,     ///< an access by a generic address, or to shared memory without dac.shared_accesses
    constant,   ///< a load from constant memory: no candidate
    access,     ///< an access that stays, which reads the result as (part of) its address
    predicate,  ///< a comparison that stays
    value,      ///< other arithmetic, or the data of a store
    count
};

std::string_view name_of(Reader reader) {
    static constexpr std::array<std::string_view, static_cast<std::size_t>(Reader::count)> kNames = {
        "none", "shared", "constant", "access", "predicate", "value"};
    return kNames[static_cast<std::size_t>(reader)];
}

/// The reader of each instruction, by block and instruction. If several read it, directly or through others that stay
/// with it, the first in the order of Reader.
class Kept {
  public:
    Kept(const VirtualKernel& kernel, const Flow& flow, const Plan& plan)
        : kernel_(kernel), flow_(flow), plan_(plan), values_(plan.values()), readers_(flow.blocks()) {
        for (std::uint32_t block = 0; block < flow.blocks(); ++block) {
            readers_[block].resize(kernel.blocks[block].code.size(), Reader::none);
        }
    }

    std::vector<std::vector<Reader>> run() {
        for (std::size_t reader = 1; reader < static_cast<std::size_t>(Reader::count); ++reader) {
            find(static_cast<Reader>(reader));
        }
        return std::move(readers_);
    }

  private:
    /// Whether the instruction, no access and no predicate, stays although the affine stream could compute it.
    bool is_kept(Position at) const {
        const VirtualInstruction& instruction = values_.instruction(at);
        if (!plan_.stays(at) || plan_.at(at).candidate || instruction.destination_rows == 0) { return false; }
        const Kind kind = plan_.classes().result(at).kind;
        return kind != Kind::none && kind != Kind::other;
    }

    Reader reader_of(Position at, std::size_t source) const {
        const VirtualInstruction& instruction = values_.instruction(at);
        if (isa::sets_predicate(instruction.machine.operation)) { return Reader::predicate; }
        if (!isa::is_memory(instruction.machine.operation) || source != 0) { return Reader::value; }
        if (instruction.machine.space == Space::constant) { return Reader::constant; }
        return plan_.at(at).stays == Reason::space ? Reader::shared : Reader::access;
    }

    void find(Reader reader) {
        for (std::uint32_t block : flow_.order()) {
            for (std::uint32_t index = 0; index < kernel_.blocks[block].code.size(); ++index) {
                find_read_by({block, index}, reader);
            }
        }
        // A result that no reader of this kind reads directly is read in rows that are not followed, or for a
        // predicate.
        if (reader != Reader::value) { return; }
        for (std::uint32_t block : flow_.order()) {
            for (std::uint32_t index = 0; index < kernel_.blocks[block].code.size(); ++index) {
                if (is_kept({block, index})) { mark({block, index}, Reader::value); }
            }
        }
    }

    void find_read_by(Position at, Reader reader) {
        if (!plan_.stays(at) || is_kept(at)) { return; }
        const Reads& reads = values_.reads(at);
        const auto queue = plan_.at(at).queue;
        if (queue == isa::QueueMode::predicate) { return; }
        for (std::size_t i = queue ? 1 : 0; i < reads.source.size(); ++i) {
            if (reader_of(at, i) == reader) {
                for (ValueId id : reads.source[i]) { follow(id, reader); }
            }
        }
    }

    void follow(ValueId first, Reader reader) {
        std::vector<ValueId> open{first};
        std::vector<bool> seen(values_.size(), false);
        while (!open.empty()) {
            const ValueId id = open.back();
            open.pop_back();
            if (id == kNoValue || seen[id]) { continue; }
            seen[id] = true;
            const Value& value = values_[id];
            open.insert(open.end(), value.inputs.begin(), value.inputs.end());
            open.push_back(value.before);
            if (value.kind != Value::Kind::definition || !is_kept(value.at) || !mark(value.at, reader)) { continue; }
            for (const auto& source : values_.reads(value.at).source) {
                open.insert(open.end(), source.begin(), source.end());
            }
        }
    }

    /// Returns false if the instruction already has its reader.
    bool mark(Position at, Reader reader) {
        Reader& found = readers_[at.block][at.index];
        if (found != Reader::none) { return false; }
        found = reader;
        return true;
    }

    const VirtualKernel& kernel_;
    const Flow& flow_;
    const Plan& plan_;
    const Values& values_;
    std::vector<std::vector<Reader>> readers_;
};

/// Annotations. "dac.decoupled": the number of divergent conditions. "dac.affine": the affine stream computes it.
/// "dac.stays.REASON": a candidate that is not decoupled; in a refused kernel, what it would need. "dac.read.READER":
/// the affine stream could compute it, but this reader keeps it in the kernel's own stream. "dac.reported": a branch
/// whose lanes warps report to the affine warp.
void annotate(VirtualKernel& kernel, const Flow& flow, const Plan& plan) {
    const auto readers = Kept(kernel, flow, plan).run();
    for (std::uint32_t block = 0; block < kernel.blocks.size(); ++block) {
        for (std::uint32_t index = 0; index < kernel.blocks[block].code.size(); ++index) {
            const Step& step = plan.at({block, index});
            VirtualInstruction& instruction = kernel.blocks[block].code[index];
            if (step.queue) {
                kernel.annotate(instruction, "dac.decoupled", step.conditions);
            } else if (step.stays != Reason::none) {
                kernel.annotate(instruction, fmt::format("dac.stays.{}", name_of(step.stays)), plan.refusal().found);
            } else if (step.reports) {
                kernel.annotate(instruction, "dac.reported", 0);
            } else if (step.affine) {
                kernel.annotate(instruction, "dac.affine", 0);
            }
            if (const Reader reader = readers[block][index]; reader != Reader::none) {
                kernel.annotate(instruction, fmt::format("dac.read.{}", name_of(reader)), 0);
            }
        }
    }
}

/// Wang and Lin, ISCA 2017, section 4.7. Runs before 64-bit operations are split, while addresses can be followed.
class DacTransform final : public finaliser::KernelTransform {
  public:
    using Parameters = DacParameters;

    explicit DacTransform(const Parameters& parameters)
        : choices_{.accesses = parameters.decouple != "predicates",
                   .shared = parameters.shared_accesses,
                   .predicates = parameters.decouple != "accesses",
                   .conditions = static_cast<std::size_t>(parameters.divergent_conditions),
                   .reports = parameters.reports} {}

    void before_expansion(finaliser::KernelUnderWork& kernel, const finaliser::FinaliserOptions&) const override {
        split_at_jumps(kernel.main);
        split_sign_tests(kernel.main, choices_.reports);
        const Flow flow(kernel.main);
        Choices choices = choices_;
        std::optional<Plan> plan(std::in_place, kernel.main, flow, choices);
        // Reports and accesses of shared memory add to what is decoupled, which may be too much.
        for (bool Choices::*more : {&Choices::reports, &Choices::shared}) {
            if (plan->refusal().reason != Reason::none && std::exchange(choices.*more, false)) {
                plan.emplace(kernel.main, flow, choices);
            }
        }
        annotate(kernel.main, flow, *plan);
        if (!plan->decouples()) { return; }
        kernel.programs.push_back(affine_stream(kernel.main, flow, *plan));
        take_from_queues(kernel.main, *plan);
    }

  private:
    Choices choices_;
};
using finaliser::KernelTransform;
LOOKAHEAD_REGISTER_VARIANT(KernelTransform, DacTransform, "dac",
                           "Decoupled affine computation: addresses and predicates that are linear in the thread and "
                           "block indices go to a stream of their own.",
                           "Wang and Lin, ISCA 2017")

}  // namespace

}  // namespace lookahead::dac
