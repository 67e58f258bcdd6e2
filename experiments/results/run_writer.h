#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "experiments/results/run_record.h"

namespace lookahead {

/// The result file of a run, which appears under its name when it is complete.
class RunFile {
  public:
    /// `drafts`: a core is free for a thread of its own, on which draft() works.
    explicit RunFile(std::string path, bool drafts = false);
    RunFile(const RunFile&) = delete;
    RunFile& operator=(const RunFile&) = delete;
    ~RunFile();

    bool drafts() const { return thread_.joinable(); }
    /// The thread opens the file and writes the record's configuration. From here on nobody else may use HDF5 before wait()
    /// or write().
    void begin(RunRecord configured);
    /// After begin(): the thread writes the tables of a record whose numbers may still be others at the end. It makes the
    /// record, too; an empty function: there is none. Then it calls `next`. Does nothing from the second time on.
    void draft(std::function<RunRecord()> make_record, std::function<void()> next = {});
    /// Until the draft is done; throws what went wrong there.
    void wait();

    /// Writes the record. InputError with the path if that fails. What a draft has is not made again, if the record's
    /// tables are of the same size.
    void write(const RunRecord& record);

  private:
    struct Draft;

    struct Order {
        std::function<RunRecord()> make_record;
        std::function<void()> next;
    };

    void work(std::future<RunRecord> configured, std::future<Order> order, std::promise<void> drafted);
    void write_draft(std::future<RunRecord>& configured, std::future<Order>& order, std::function<void()>& next);

    std::string path_;
    std::unique_ptr<Draft> draft_;
    std::optional<std::promise<RunRecord>> configured_;  ///< until begin()
    std::optional<std::promise<Order>> order_;           ///< until draft()
    std::future<void> drafted_;                          ///< until wait()
    std::thread thread_;
};

/// Writes the result file of a run without a draft.
void write_run(const RunRecord& record, const std::string& path);

}  // namespace lookahead
