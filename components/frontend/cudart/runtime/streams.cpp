// Streams and events. Calls run in program order, which all streams allow; an event keeps the emulated time of its
// record.
#include "components/frontend/cudart/runtime/streams.h"

#include <mutex>
#include <unordered_set>
#include <utility>

#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"
#include "components/frontend/cudart/runtime/host_functions.h"

namespace lookahead::cudart {

namespace {

struct Event {
    unsigned flags = 0;
    bool recorded = false;
    std::uint64_t nanoseconds = 0;
    std::shared_ptr<StreamCapture> capture{};  ///< of the captured stream in which it was last recorded
    std::vector<GraphNode*> after{};
};
constexpr unsigned kDisableTiming = 2;

/// The existing streams and events, so that other handles give an error, as in CUDA.
class Handles {
  public:
    void add(const void* handle) {
        const std::lock_guard lock(mutex_);
        handles_.insert(handle);
    }
    bool remove(const void* handle) {
        const std::lock_guard lock(mutex_);
        return handles_.erase(handle) != 0;
    }
    bool contains(const void* handle) {
        const std::lock_guard lock(mutex_);
        return handles_.contains(handle);
    }
    std::uint64_t next_id() {
        const std::lock_guard lock(mutex_);
        return ++last_id_;
    }

  private:
    std::mutex mutex_;
    std::unordered_set<const void*> handles_;
    std::uint64_t last_id_ = 0;
};
Handles& handles() {
    static auto* const table = new Handles;
    return *table;
}

bool is_default(void* handle) {
    return address_of(handle) <= 2;  // 0, cudaStreamLegacy, cudaStreamPerThread
}

/// Returns the error of a lost device, as every call does.
CudaError ask_device() {
    return error_of(Connection::get().call({.operation = Operation::read_clock}));
}

CudaError make_stream(void** handle, unsigned flags, int priority) {
    constexpr unsigned kNonBlocking = 1;
    if (handle == nullptr || flags > kNonBlocking) { return remember(kInvalidValue); }
    if (const CudaError error = ask_device(); error != kSuccess) { return error; }
    *handle = new Stream{.flags = flags, .priority = priority, .id = handles().next_id()};
    handles().add(*handle);
    return kSuccess;
}

bool is_event(const Event* event) {
    return event != nullptr && handles().contains(event);
}

CudaError record(Event& event) {
    const Reply reply = Connection::get().call({.operation = Operation::read_clock});
    if (reply.error != kSuccess) { return error_of(reply); }
    event.recorded = true;
    event.nanoseconds = reply.nanoseconds;
    return error_of(reply);
}

}  // namespace

bool is_stream(void* handle) {
    return is_default(handle) || handles().contains(handle);
}

Stream& stream_of(void* handle) {
    static auto* const standard = new Stream;
    return is_default(handle) ? *standard : *static_cast<Stream*>(handle);
}

CudaError submit(void* handle, NodeKind kind, Work work) {
    if (!is_stream(handle)) { return remember(kInvalidResourceHandle); }
    Stream& stream = stream_of(handle);
    if (!stream.is_captured()) { return work(); }
    stream.last = {stream.capture->graph->add(kind, std::move(work), stream.last)};
    return kSuccess;
}

CudaError synchronise_device() {
    return error_of(Connection::get().call({.operation = Operation::synchronise}));
}

CudaError and_wait(CudaError error) {
    return error == kSuccess ? synchronise_device() : error;
}

CudaError call_on_host(std::function<void()> function) {
    const CudaError error = synchronise_device();
    if (error == kSuccess) { HostFunctions::get().start(std::move(function)); }
    return error;
}

CudaError synchronise(void* stream) {
    if (!is_stream(stream)) { return remember(kInvalidResourceHandle); }
    return stream_of(stream).is_captured() ? remember(kStreamCaptureUnsupported) : synchronise_device();
}

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

CudaError cudaDeviceSynchronize() {
    return synchronise_device();
}
LOOKAHEAD_SECOND_NAME(cudaDeviceSynchronize, cudaThreadSynchronize)  // until CUDA 12

CudaError cudaStreamCreate(void** stream) {
    return make_stream(stream, 0, 0);
}
CudaError cudaStreamCreateWithFlags(void** stream, unsigned flags) {
    return make_stream(stream, flags, 0);
}
CudaError cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
    return make_stream(stream, flags, priority);
}
CudaError cudaStreamDestroy(void* stream) {
    if (!handles().remove(stream)) { return remember(kInvalidResourceHandle); }
    delete static_cast<Stream*>(stream);
    return kSuccess;
}
CudaError cudaStreamSynchronize(void* stream) {
    return synchronise(stream);
}
LOOKAHEAD_PER_THREAD(cudaStreamSynchronize, _ptsz)
/// Everything has completed.
LOOKAHEAD_SECOND_NAME(cudaStreamSynchronize, cudaStreamQuery)
LOOKAHEAD_SECOND_NAME(cudaStreamSynchronize, cudaStreamQuery_ptsz)
CudaError cudaStreamGetFlags(void* stream, unsigned* flags) {
    if (!is_stream(stream)) { return remember(kInvalidResourceHandle); }
    return give(flags, stream_of(stream).flags);
}
LOOKAHEAD_PER_THREAD(cudaStreamGetFlags, _ptsz)
CudaError cudaStreamGetPriority(void* stream, int* priority) {
    if (!is_stream(stream)) { return remember(kInvalidResourceHandle); }
    return give(priority, stream_of(stream).priority);
}
LOOKAHEAD_PER_THREAD(cudaStreamGetPriority, _ptsz)
CudaError cudaStreamGetId(void* stream, unsigned long long* id) {
    if (!is_stream(stream)) { return remember(kInvalidResourceHandle); }
    return give(id, stream_of(stream).id);
}
LOOKAHEAD_PER_THREAD(cudaStreamGetId, _ptsz)
CudaError cudaStreamGetDevice(void*, int* device) {
    *device = 0;
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaStreamGetDevice, _ptsz)
CudaError cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) { *least = 0; }
    if (greatest != nullptr) {
        *greatest = -5;  // as on GPUs of compute capability 7.5
    }
    return kSuccess;
}

CudaError cudaStreamWaitEvent(void* handle, Event* event, unsigned) {
    if (!is_event(event) || !is_stream(handle)) { return remember(kInvalidResourceHandle); }
    if (event->capture == nullptr || event->capture->graph == nullptr) { return kSuccess; }
    Stream& stream = stream_of(handle);
    if (!stream.is_captured()) { stream.last.clear(); }
    stream.capture = event->capture;  // so the event's capture spreads to other streams
    stream.last.insert(stream.last.end(), event->after.begin(), event->after.end());
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaStreamWaitEvent, _ptsz)

CudaError cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
    if (function == nullptr) { return remember(kInvalidValue); }
    return submit(stream, NodeKind::host, [=] { return call_on_host([=] { function(data); }); });
}
LOOKAHEAD_PER_THREAD(cudaLaunchHostFunc, _ptsz)
CudaError cudaStreamAddCallback(void* stream, void (*callback)(void*, CudaError, void*), void* data, unsigned) {
    if (callback == nullptr) { return remember(kInvalidValue); }
    if (const CudaError error = synchronise(stream); error != kSuccess) { return error; }
    HostFunctions::get().start([=] { callback(stream, kSuccess, data); });
    return kSuccess;
}
LOOKAHEAD_PER_THREAD(cudaStreamAddCallback, _ptsz)

CudaError cudaEventCreateWithFlags(Event** event, unsigned flags) {
    if (event == nullptr) { return remember(kInvalidValue); }
    if (const CudaError error = ask_device(); error != kSuccess) { return error; }
    *event = new Event{.flags = flags};
    handles().add(*event);
    return kSuccess;
}
CudaError cudaEventCreate(Event** event) {
    return cudaEventCreateWithFlags(event, 0);
}
CudaError cudaEventDestroy(Event* event) {
    if (!handles().remove(event)) { return remember(kInvalidResourceHandle); }
    delete event;
    return kSuccess;
}
CudaError cudaEventRecord(Event* event, void* handle) {
    if (!is_event(event) || !is_stream(handle)) { return remember(kInvalidResourceHandle); }
    Stream& stream = stream_of(handle);
    const bool captured = stream.is_captured();
    event->capture = stream.capture;
    event->after = captured ? stream.last : std::vector<GraphNode*>{};
    return captured ? kSuccess : record(*event);
}
LOOKAHEAD_PER_THREAD(cudaEventRecord, _ptsz)
/// In a capture an external event's record is a node of the graph.
CudaError cudaEventRecordWithFlags(Event* event, void* stream, unsigned flags) {
    constexpr unsigned kExternal = 1;
    if (!is_event(event)) { return remember(kInvalidResourceHandle); }
    if (flags != kExternal) { return cudaEventRecord(event, stream); }
    return submit(stream, NodeKind::record, [event] { return record(*event); });
}
LOOKAHEAD_PER_THREAD(cudaEventRecordWithFlags, _ptsz)
CudaError cudaEventSynchronize(Event* event) {
    return is_event(event) ? synchronise_device() : remember(kInvalidResourceHandle);
}
LOOKAHEAD_SECOND_NAME(cudaEventSynchronize, cudaEventQuery)
CudaError cudaEventElapsedTime(float* milliseconds, Event* begin, Event* end) {
    if (milliseconds == nullptr) { return remember(kInvalidValue); }
    if (!is_event(begin) || !is_event(end) || !begin->recorded || !end->recorded ||
        ((begin->flags | end->flags) & kDisableTiming) != 0) {
        return remember(kInvalidResourceHandle);
    }
    *milliseconds =
        static_cast<float>(static_cast<double>(end->nanoseconds) - static_cast<double>(begin->nanoseconds)) / 1e6f;
    return kSuccess;
}

}  // extern "C"
