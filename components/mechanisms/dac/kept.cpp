#include "components/mechanisms/dac/kept.h"

#include <array>

namespace lookahead::dac {

namespace {

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
        // Results that no reader of the list reads directly are read in rows that are not followed, or for a predicate.
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

}  // namespace

std::string_view name_of(Reader reader) {
    static constexpr std::array<std::string_view, static_cast<std::size_t>(Reader::count)> kNames = {
        "none", "shared", "constant", "access", "predicate", "value"};
    return kNames[static_cast<std::size_t>(reader)];
}

std::vector<std::vector<Reader>> readers_of_kept(const VirtualKernel& kernel, const Flow& flow, const Plan& plan) {
    return Kept(kernel, flow, plan).run();
}

}  // namespace lookahead::dac
