#pragma once

#include <string>

namespace lookahead {

/// While it lives, a signal by which the program crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) leaves a record of a
/// failed point before it ends the process. One at a time.
class CrashRecord {
  public:
    /// `file`: where the record appears, whole, by renaming. `rank`: of the process, for a name of its own.
    CrashRecord(const std::string& file, int rank);
    CrashRecord(const CrashRecord&) = delete;
    CrashRecord& operator=(const CrashRecord&) = delete;
    ~CrashRecord();
};

}  // namespace lookahead
