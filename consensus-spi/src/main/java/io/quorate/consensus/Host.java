package io.quorate.consensus;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * What a node gives the engine it hosts.
 *
 * @param cluster the cluster's identity
 * @param self the node's own id
 * @param listen where to listen for the other replicas' engines
 * @param directory where the engine keeps its files; exists, and nobody else writes there
 * @param settings the engine's part of the configuration
 * @param telemetry where the engine's measurements go
 * @param fatal told when a replica has failed for good; the process is expected to stop. Must not
 *     block.
 */
public record Host(
    UUID cluster,
    NodeId self,
    InetSocketAddress listen,
    Path directory,
    EngineSettings settings,
    Telemetry telemetry,
    Consumer<ConsensusException.Fatal> fatal) {}
