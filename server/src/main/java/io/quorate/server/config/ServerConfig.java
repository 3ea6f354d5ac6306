package io.quorate.server.config;

import io.quorate.consensus.EngineSettings;
import java.util.OptionalDouble;

/**
 * Everything one node is told.
 *
 * @param leaderReads what part of the reads goes to the leader where {@code reads = mixed}, from 0
 *     to 1; empty for equal work
 * @param engine the section of the engine that {@link Knobs#engine} names
 */
public record ServerConfig(
    ClusterConfig cluster,
    NodeConfig node,
    String preset,
    Knobs knobs,
    OptionalDouble leaderReads,
    LimitsConfig limits,
    DoorConfig door,
    StorageConfig storage,
    EngineSettings engine,
    AdminConfig admin,
    ShutdownConfig shutdown) {

  /** This node's entry in the cluster's list. */
  public NodeAddress self() {
    return cluster.node(node.id());
  }
}
