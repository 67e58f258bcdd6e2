#include "experiments/results/draft_group.h"

#include <algorithm>

namespace lookahead {

void DraftDataset::make_scale(const char* dimension_name) {
    if (!again_) {
        dataset_.make_scale(dimension_name);
    }
}

void DraftDataset::attach_scale(unsigned dimension, const DraftDataset& scale) {
    if (!again_) {
        dataset_.attach_scale(dimension, scale.dataset_);
    }
}

void DraftDataset::attach_to_columns(std::span<DraftDataset* const> columns) {
    if (again_) {
        return;
    }
    std::vector<const hdf5::Dataset*> datasets;
    for (const DraftDataset* column : columns) {
        datasets.push_back(&column->dataset_);
    }
    dataset_.attach_to_columns(datasets);
}

DraftGroup& DraftGroup::child(const std::string& name) {
    std::unique_ptr<DraftGroup>& place = children_[name];
    if (place == nullptr) {
        place = std::make_unique<DraftGroup>(group_.create_group(name));
    }
    return *place;
}

}  // namespace lookahead
