#include "core/transport/in_process/in_process_transport.h"

#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdlib>

#include "core/error/error.h"

using namespace lookahead;

TEST_CASE("without mpirun the transport is of one process, and MPI is not initialised") {
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMIX_RANK");
    const std::unique_ptr<Transport> transport = make_transport();
    CHECK(transport->size() == 1);
    CHECK(transport->rank() == 0);
    int initialised = 1;
    MPI_Initialized(&initialised);
    CHECK(initialised == 0);
}

TEST_CASE("one process gathers and broadcasts to itself, and has nobody to send to") {
    InProcessTransport transport;
    CHECK(transport.gather("mine") == std::vector<std::string>{"mine"});
    std::string bytes = "kept";
    transport.broadcast(bytes, 0);
    CHECK(bytes == "kept");
    const std::uint64_t mine = 7;
    std::uint64_t all = 0;
    transport.all_gather({&mine, 1}, {&all, 1});
    CHECK(all == 7);
    ByteBuffer packet;
    CHECK_THROWS_AS(transport.send(1, packet), InternalError);
    CHECK_THROWS_AS(transport.receive(1), InternalError);
}
