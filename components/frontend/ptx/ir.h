#pragma once

// The whole typed intermediate representation of PTX.
#include "components/frontend/ptx/function.h"
#include "components/frontend/ptx/instruction.h"
#include "components/frontend/ptx/modifiers.h"
#include "components/frontend/ptx/module.h"
#include "components/frontend/ptx/opcode.h"
#include "components/frontend/ptx/operand.h"
#include "components/frontend/ptx/special_register.h"
#include "components/frontend/ptx/state_space.h"
#include "components/frontend/ptx/type.h"
#include "components/frontend/ptx/variable.h"
