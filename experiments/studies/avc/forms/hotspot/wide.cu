// Blocks of 32 x 32 threads: a row is a warp, so that its addresses are one affine vector and not two (Collange and
// Kouyoumdjian, 2011, section 3.2).
#define BLOCK_WIDTH 32
#include "../../../../workloads/hotspot/kernel.cu"
