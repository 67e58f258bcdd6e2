#pragma once

#include "components/isa/type.h"

namespace lookahead::ptx {

// PTX's types are the machine ISA's.
using isa::bits;
using isa::bytes;
using isa::is_bits;
using isa::is_floating;
using isa::is_integer;
using isa::is_signed;
using isa::is_unsigned;
using isa::name_of;
using isa::Type;
using isa::type_class;
using isa::type_named;
using isa::TypeClass;
using isa::with_bits;

}  // namespace lookahead::ptx
