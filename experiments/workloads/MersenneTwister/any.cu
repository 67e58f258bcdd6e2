// As many generators as threads: the suite has 4096, which do not fill a GPU of 15 SMs.
#define GENERATORS static_cast<int>(gridDim.x * blockDim.x)
#include "kernel.cu"
