#include "components/frontend/finaliser/simplify/simplify.h"

#include "components/frontend/finaliser/simplify/copy_propagation.h"
#include "components/frontend/finaliser/simplify/dead_code.h"
#include "components/frontend/finaliser/simplify/fold.h"
#include "components/frontend/finaliser/simplify/fold_addresses.h"

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
