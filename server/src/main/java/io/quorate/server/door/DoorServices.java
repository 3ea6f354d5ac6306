package io.quorate.server.door;

import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.server.cluster.ClusterMap;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * What the front door serves.
 *
 * @param linearizable how reads are served that ask for linearizability
 * @param commandBytesMax longest command that the engine takes
 * @param status this node's view of itself; does not block
 * @param version the server's version
 * @param transferTimeout longest wait for another node to take over leadership
 */
public record DoorServices(
    ClusterMap map,
    ServiceGate gate,
    LinearizableReads linearizable,
    int commandBytesMax,
    Supplier<NodeStatus> status,
    String version,
    Duration transferTimeout) {}
