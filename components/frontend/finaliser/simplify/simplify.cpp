#include "components/frontend/finaliser/simplify/simplify.h"

namespace lookahead::finaliser {

void simplify(VirtualKernel& kernel) {
    for (bool changed = true; changed;) {
        changed = propagate_copies(kernel);
        changed |= fold_constants(kernel);
        changed |= fold_addresses(kernel);
        changed |= remove_dead_code(kernel);
    }
}

}  // namespace lookahead::finaliser
