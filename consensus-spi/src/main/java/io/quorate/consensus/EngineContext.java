package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The environment that a node provides to its engine.
 *
 * @param cluster the identity of the cluster
 * @param self the id of this node
 * @param listen the address on which the engine accepts connections of other nodes
 * @param nodes the nodes of the cluster
 * @param directory the directory of the engine's files; exists, and only the engine writes to it
 * @param settings the engine's section of the configuration
 * @param telemetry receives the engine's measurements
 * @param bodies where the engine keeps large values that it replicates beside its log; empty if
 *     every replica is to receive every command in full
 * @param begun the replicas of this node that have begun, recorded outside {@code directory}
 * @param fatal called on any thread when a replica has failed permanently; the process is expected
 *     to stop. Must not block.
 */
public record EngineContext(
    UUID cluster,
    NodeId self,
    InetSocketAddress listen,
    KnownNodes nodes,
    Path directory,
    EngineSettings settings,
    MetricsSink telemetry,
    Optional<BodyStorage> bodies,
    BegunReplicas begun,
    Consumer<ConsensusException.Fatal> fatal) {}
