#include <cstddef>
#include <initializer_list>

#include "components/frontend/finaliser/lower/lower.h"
#include "components/isa/texture.h"

namespace lookahead::finaliser {

namespace {

/// suld.b and sust.b read the object's descriptor (isa::TextureDescriptor) and make an ordinary access to the element's
/// address. So surfaces need no unit of their own, and their accesses are ordered like other accesses to global memory.
class SurfaceAccess {
  public:
    explicit SurfaceAccess(LoweringContext& context)
        : context_(context),
          instruction_(context.instruction()),
          elements_(instruction_.sources()[0].elements),
          bytes_(ptx::bytes(instruction_.type()) * instruction_.modifiers.vector_width) {}

    void lower() {
        object_ = context_.source(elements_[0]);
        const VirtualOperand row_bytes = field(offsetof(isa::TextureDescriptor, row_bytes), 1);
        const VirtualOperand most = value(Operation::sub, isa::Type::u32, {row_bytes, context_.literal(bytes_)}, 1);
        VirtualOperand address = field(offsetof(isa::TextureDescriptor, base), 2);
        address = add(address, place(x(), most), context_.literal(1));
        if (has_rows() || has_slices()) {
            const std::uint32_t sizes = rows_of_fields(offsetof(isa::TextureDescriptor, slice_pitch), 4);
            const std::uint32_t extents = rows_of_fields(offsetof(isa::TextureDescriptor, height), 2);
            if (has_rows()) { address = add(address, place(y(), last(word(extents))), word(sizes + 2)); }
            if (has_slices()) { address = add(address, place(slice(), last(word(extents + 1))), word(sizes)); }
        }
        access(address);
    }

  private:
    using Geometry = ptx::TextureGeometry;

    Geometry geometry() const { return instruction_.modifiers.geometry; }
    bool is_layered() const { return geometry() == Geometry::a1d || geometry() == Geometry::a2d; }
    bool has_rows() const { return geometry() != Geometry::d1 && geometry() != Geometry::a1d; }
    bool has_slices() const { return geometry() == Geometry::d3 || is_layered(); }
    VirtualOperand x() { return context_.source(elements_[is_layered() ? 2 : 1]); }
    VirtualOperand y() { return context_.source(elements_[is_layered() ? 3 : 2]); }
    VirtualOperand slice() { return context_.source(elements_[is_layered() ? 1 : 3]); }

    static VirtualOperand word(std::uint32_t row) { return register_rows(row); }

    VirtualOperand value(Operation operation, isa::Type type, std::initializer_list<VirtualOperand> sources,
                         unsigned rows) {
        VirtualInstruction result = new_instruction(operation, type, sources);
        result.machine.source_type = isa::Type::u32;
        return context_.emit_temporary(result, rows);
    }

    /// Loads `count` words of the descriptor; returns their first row.
    std::uint32_t rows_of_fields(std::size_t offset, unsigned count) {
        VirtualInstruction load = new_instruction(Operation::load, isa::Type::b32, {object_});
        load.machine.space = isa::Space::global;
        load.machine.vector = static_cast<std::uint8_t>(count);
        load.machine.offset = static_cast<std::int32_t>(offset);
        load.set_destination(context_.kernel.new_rows(count), count);
        context_.emit(load);
        return load.destination;
    }
    VirtualOperand field(std::size_t offset, unsigned count) {
        return register_rows(rows_of_fields(offset, count), count);
    }

    VirtualOperand last(VirtualOperand size) {
        return value(Operation::sub, isa::Type::u32, {size, context_.literal(1)}, 1);
    }
    VirtualOperand add(VirtualOperand address, VirtualOperand number, VirtualOperand pitch) {
        return value(Operation::mad_wide, isa::Type::u64, {number, pitch, address}, 2);
    }

    /// Checks a coordinate against 0 .. `most`: clamps it (.clamp), or records that it is outside.
    VirtualOperand place(VirtualOperand coordinate, VirtualOperand most) {
        if (instruction_.modifiers.surface_bound == ptx::SurfaceBound::clamp) {
            const VirtualOperand positive = value(Operation::max, isa::Type::s32, {coordinate, context_.literal(0)}, 1);
            return value(Operation::min, isa::Type::s32, {positive, most}, 1);
        }
        const PredicateUse beyond = context_.test(isa::Comparison::gt, isa::Type::u32, coordinate, most);
        if (outside_.index == kNone) {
            outside_ = beyond;
        } else {
            VirtualInstruction either = context_.make(Operation::pred_or, ptx::Type::pred);
            either.source_predicate = {outside_, beyond};
            outside_ = context_.emit_temporary_predicate(either);
        }
        return coordinate;
    }

    void emit_guarded(VirtualInstruction instruction, PredicateUse guard) {
        instruction.guard = guard;
        context_.append(instruction);
    }

    void access(VirtualOperand address) {
        PredicateUse inside = context_.guard();
        if (outside_.index != kNone) {
            if (instruction_.modifiers.surface_bound == ptx::SurfaceBound::trap) {
                const PredicateUse outside = context_.guarded(outside_);
                emit_guarded(new_instruction(Operation::trap), outside);
            } else {
                inside = context_.guarded({outside_.index, !outside_.negated});
            }
        }
        const bool loads = instruction_.opcode == Opcode::suld;
        VirtualInstruction access =
            new_instruction(loads ? Operation::load : Operation::store, instruction_.type(), {address});
        access.machine.space = isa::Space::global;
        access.machine.vector = instruction_.modifiers.vector_width;
        const auto rows = static_cast<unsigned>(isa::type_rows(access.machine.type) * access.machine.vector);
        if (rows > 4) { context_.refuse("only vectors of up to 16 bytes are supported"); }
        if (loads) {
            load(access, rows, inside);
        } else {
            store(access, inside);
        }
    }

    /// With .zero, elements outside are read as 0.
    void load(VirtualInstruction access, unsigned rows, PredicateUse inside) {
        access.set_destination(context_.kernel.new_rows(rows), rows);
        if (inside.index != context_.guard().index) {
            for (unsigned i = 0; i < rows; ++i) { context_.emit_copy(context_.literal(0), access.destination + i); }
        }
        emit_guarded(access, inside);
        context_.emit_to_elements(instruction_.destinations()[0].elements, access.destination,
                                  isa::type_rows(instruction_.type()));
    }

    void store(VirtualInstruction access, PredicateUse inside) {
        access.source[1] =
            context_.side_by_side(instruction_.sources()[1].elements, isa::type_rows(instruction_.type()));
        emit_guarded(access, inside);
    }

    LoweringContext& context_;
    const ptx::Instruction& instruction_;
    const std::vector<ptx::Operand>& elements_;
    std::uint64_t bytes_;  ///< of an access
    VirtualOperand object_;
    PredicateUse outside_;  ///< whether a coordinate is outside; none with .clamp
};

void lower_surface(LoweringContext& context) {
    SurfaceAccess(context).lower();
}

constexpr Lowering kSurfaceAccesses[] = {{Opcode::suld, lower_surface}, {Opcode::sust, lower_surface}};

}  // namespace

constinit const std::span<const Lowering> kSurfaceLowerings = kSurfaceAccesses;

}  // namespace lookahead::finaliser
