#include "core/hdf5/group.h"

#include <hdf5.h>

#include <algorithm>

#include "core/error/error.h"
#include "core/hdf5/library.h"

namespace lookahead::hdf5 {

Group Group::open_group(std::string_view name) const {
    Handle group(H5Gopen2(id(), std::string(name).c_str(), H5P_DEFAULT), H5Gclose);
    check(group.get(), id(), "open group " + std::string(name));
    return Group(std::move(group));
}

Dataset Group::open_dataset(std::string_view name) const {
    Handle dataset(H5Dopen2(id(), std::string(name).c_str(), H5P_DEFAULT), H5Dclose);
    check(dataset.get(), id(), "open dataset " + std::string(name));
    return Dataset(std::move(dataset));
}

bool Group::has(std::string_view name) const {
    return H5Lexists(id(), std::string(name).c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Group::names() const {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    check(H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, +add, &names), id(), "list " + name());
    std::sort(names.begin(), names.end());
    return names;
}

LinkKind Group::kind_of(std::string_view name) const {
    const Handle object(H5Oopen(id(), std::string(name).c_str(), H5P_DEFAULT), H5Oclose);
    switch (H5Iget_type(check(object.get(), id(), "open " + std::string(name)))) {
        case H5I_GROUP:
            return LinkKind::group;
        case H5I_DATASET:
            return LinkKind::dataset;
        default:
            return LinkKind::other;
    }
}

}  // namespace lookahead::hdf5
