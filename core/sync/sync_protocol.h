#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/sync/rank_engine.h"
#include "core/sync/routes.h"
#include "core/sync/source_lookahead.h"
#include "core/time/time.h"
#include "core/transport/transport.h"

namespace lookahead {

struct SyncArguments {
    RankEngine& engine;
    Transport& transport;
    const SourceLookahead& lookahead;
    const Routes& routes;
    bool halves_always;  ///< SimulationOptions
};

/// Keeps ranks from advancing too far ahead of each other. A protocol decides when ranks exchange their batches and to
/// which horizon each may advance; it must never let a rank advance beyond a time at which a message may still arrive
/// from another rank. No observable result may depend on its decisions.
class SyncProtocol {
  public:
    virtual ~SyncProtocol() = default;

    /// Runs all events before `boundary` on all ranks. All ranks call it together, when no message is under way;
    /// `earliest` holds a lower bound of all events of each rank. When it returns, all messages are in the inbox of
    /// their receiver or, if the receiver's rank has not returned yet, will be before that rank returns.
    virtual void run_epoch(std::span<const Time> earliest, Time boundary) = 0;

  protected:
    explicit SyncProtocol(const SyncArguments& arguments)
        : engine_(arguments.engine),
          transport_(arguments.transport),
          lookahead_(arguments.lookahead),
          routes_(arguments.routes) {}

    RankEngine& engine_;
    Transport& transport_;
    const SourceLookahead& lookahead_;
    const Routes& routes_;
};

struct SyncDescription {
    std::string_view name;
    std::string_view description;
    std::string_view source;
    std::unique_ptr<SyncProtocol> (*make)(const SyncArguments&);
    int most_ranks;
    int most_direct;          ///< with more ranks than this, batches go in rounds (Routes)
    bool has_common_windows;  ///< all ranks go through the same sequence of windows
};

/// Finds the protocol of this name. Throws ConfigurationError, with "did you mean" and the list of names, if there is
/// none.
const SyncDescription& find_sync_protocol(std::string_view name);
/// The same; also throws ConfigurationError if the protocol does not support this number of ranks.
const SyncDescription& find_sync_protocol(std::string_view name, int ranks);

}  // namespace lookahead
