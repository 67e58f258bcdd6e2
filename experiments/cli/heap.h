#pragma once

namespace lookahead::cli {

/// Sets the C library's heap up for a program that takes some tens of megabytes at once and ends soon: it grows in large
/// steps, gives nothing back, and lies in large pages where the system has them. Page by page, taking that memory is a
/// tenth of a short run. To be called before there is a second thread.
void prepare_heap();

/// Has another thread take the pages that every run needs while this one starts. For a program with a core to spare.
void take_pages_beforehand();

}  // namespace lookahead::cli
