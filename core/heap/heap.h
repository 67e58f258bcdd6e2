#pragma once

#include <cstddef>

/// The C library's heap for programs that take some tens of megabytes at once and end soon. Taking that memory page by
/// page is a tenth of a short run.
namespace lookahead {

/// The heap grows in large steps, gives nothing back, and lies in large pages where the system has them. To be called
/// before there is a second thread. `parts`: how many threads take memory at the same time; only the first part lies in
/// large pages.
void prepare_heap(int parts);

/// Has another thread take the pages that every run needs while this one starts. For a program with a core to spare.
void take_pages_beforehand();

/// The same for the calling thread's own part of the heap, which would grow by one small page at a time: room for `bytes`.
/// To be called before other threads begin, since they share parts in the order of their first blocks.
void prepare_thread_heap(std::size_t bytes);

}  // namespace lookahead
