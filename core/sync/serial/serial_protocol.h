#pragma once

#include "core/sync/sync_protocol.h"

namespace lookahead {

class SerialProtocol final : public SyncProtocol {
  public:
    explicit SerialProtocol(const SyncArguments& arguments) : SyncProtocol(arguments) {}
    void run_epoch(std::span<const Time> earliest, Time boundary) override;
};

}  // namespace lookahead
