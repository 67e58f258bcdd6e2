#pragma once

#include <string>

namespace lookahead {

/// During its lifetime, a crash signal (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) leaves a record of a failed point
/// before it ends the process. One object at a time.
class CrashRecord {
  public:
    /// `file`: the record, which appears whole, by renaming. `rank`: of the process, for a unique temporary name.
    CrashRecord(const std::string& file, int rank);
    CrashRecord(const CrashRecord&) = delete;
    CrashRecord& operator=(const CrashRecord&) = delete;
    ~CrashRecord();
};

}  // namespace lookahead
