#pragma once

namespace lookahead::cli {

/// The program is compiled for x86-64-v3, so that its arithmetic is the same on every host. Throws ConfigurationError
/// on a processor that is older.
void check_host_processor();

}  // namespace lookahead::cli
