// Registers every message of the GPU with the engine, so that it may cross ranks.
#include "components/protocols/host_memory.h"
#include "components/protocols/launch.h"
#include "components/protocols/memory.h"
#include "core/message/message.h"

namespace lookahead::gpu {

LOOKAHEAD_REGISTER_MESSAGE(ReadRequest)
LOOKAHEAD_REGISTER_MESSAGE(WriteRequest)
LOOKAHEAD_REGISTER_MESSAGE(AtomicRequest)
LOOKAHEAD_REGISTER_MESSAGE(ReadReply)
LOOKAHEAD_REGISTER_MESSAGE(WriteAcknowledge)
LOOKAHEAD_REGISTER_MESSAGE(AtomicReply)
LOOKAHEAD_REGISTER_MESSAGE(Credit)
LOOKAHEAD_REGISTER_MESSAGE(HostWrite)
LOOKAHEAD_REGISTER_MESSAGE(HostFill)
LOOKAHEAD_REGISTER_MESSAGE(HostRead)
LOOKAHEAD_REGISTER_MESSAGE(HostReadReply)
LOOKAHEAD_REGISTER_MESSAGE(HostAcknowledge)
LOOKAHEAD_REGISTER_MESSAGE(LaunchKernel)
LOOKAHEAD_REGISTER_MESSAGE(KernelBegin)
LOOKAHEAD_REGISTER_MESSAGE(LaunchParameters)
LOOKAHEAD_REGISTER_MESSAGE(CtaAssign)
LOOKAHEAD_REGISTER_MESSAGE(CtaCompleted)
LOOKAHEAD_REGISTER_MESSAGE(KernelEnd)
LOOKAHEAD_REGISTER_MESSAGE(SmDrained)
LOOKAHEAD_REGISTER_MESSAGE(KernelCompleted)
LOOKAHEAD_REGISTER_MESSAGE(AllocationUpdate)
LOOKAHEAD_REGISTER_MESSAGE(KernelMark)

}  // namespace lookahead::gpu
