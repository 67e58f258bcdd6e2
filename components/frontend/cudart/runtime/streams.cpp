// Streams and events. Calls run in the order in which the program makes them, which every order of streams allows; an
// event keeps the emulated time of its record.
#include "components/frontend/cudart/runtime/api_types.h"
#include "components/frontend/cudart/runtime/connection.h"

namespace lookahead::cudart {

namespace {

struct Event {
    bool recorded = false;
    std::uint64_t nanoseconds = 0;
};
struct Stream {
    int priority = 0;
};

CudaError make_stream(void** stream, int priority) {
    *stream = new Stream{priority};
    return kSuccess;
}

}  // namespace

}  // namespace lookahead::cudart

using namespace lookahead::cudart;

extern "C" {

CudaError cudaDeviceSynchronize();

CudaError cudaStreamCreate(void** stream) {
    return make_stream(stream, 0);
}
CudaError cudaStreamCreateWithFlags(void** stream, unsigned) {
    return make_stream(stream, 0);
}
CudaError cudaStreamCreateWithPriority(void** stream, unsigned, int priority) {
    return make_stream(stream, priority);
}
CudaError cudaStreamDestroy(void* stream) {
    delete static_cast<Stream*>(stream);
    return kSuccess;
}
CudaError cudaStreamSynchronize(void*) {
    return cudaDeviceSynchronize();
}
CudaError cudaStreamQuery(void*) {
    return cudaDeviceSynchronize();
}
CudaError cudaStreamWaitEvent(void*, void*, unsigned) {
    return kSuccess;
}

CudaError cudaEventCreate(Event** event) {
    *event = new Event;
    return kSuccess;
}
CudaError cudaEventCreateWithFlags(Event** event, unsigned) {
    return cudaEventCreate(event);
}
CudaError cudaEventDestroy(Event* event) {
    delete event;
    return kSuccess;
}
CudaError cudaEventRecord(Event* event, void*) {
    const Reply reply = Connection::get().call({.operation = Operation::read_clock});
    *event = {true, reply.nanoseconds};
    return static_cast<CudaError>(reply.error);
}
CudaError cudaEventSynchronize(Event*) {
    return cudaDeviceSynchronize();
}
CudaError cudaEventQuery(Event*) {
    return cudaDeviceSynchronize();
}
CudaError cudaEventElapsedTime(float* milliseconds, Event* begin, Event* end) {
    if (!begin->recorded || !end->recorded) return remember(kInvalidResourceHandle);
    *milliseconds =
        static_cast<float>(static_cast<double>(end->nanoseconds) - static_cast<double>(begin->nanoseconds)) / 1e6f;
    return kSuccess;
}

}  // extern "C"
