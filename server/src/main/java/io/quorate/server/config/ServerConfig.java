package io.quorate.server.config;

import io.quorate.consensus.EngineSettings;

/**
 * Everything one node is told.
 *
 * @param engine the section of the engine that {@link Knobs#engine} names
 */
public record ServerConfig(
    ClusterConfig cluster,
    NodeConfig node,
    String preset,
    Knobs knobs,
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
