#pragma once

#include "core/sync/sync_protocol.h"

namespace lookahead {

class SerialProtocol final : public SyncProtocol {
  public:
    explicit SerialProtocol(const SyncArguments& arguments) : engine_(arguments.engine) {}
    void run_epoch(std::span<const Time> earliest, Time boundary) override;

  private:
    RankEngine& engine_;
};

}  // namespace lookahead
