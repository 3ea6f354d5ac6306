package io.quorate.server.config;

import io.quorate.consensus.EngineSettings;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Everything one node is told.
 *
 * @param preset the preset that is named, if one is
 * @param knobs what is in effect: the preset's, but for what other keys override
 * @param leaderReads what part of the reads goes to the leader where {@code reads = mixed}, from 0
 *     to 1; empty for equal work
 * @param engine the section of the engine that {@link Knobs#engine} names
 */
public record ServerConfig(
    ClusterConfig cluster,
    NodeConfig node,
    Optional<Preset> preset,
    Knobs knobs,
    OptionalDouble leaderReads,
    LimitsConfig limits,
    DoorConfig door,
    StorageConfig storage,
    EngineSettings engine,
    AdminConfig admin,
    ShutdownConfig shutdown) {

  /** The name of the preset that is in effect as it is, or {@code custom}. */
  public String presetName() {
    return preset
        .or(() -> Optional.of(Preset.DEFAULT).filter(preset -> preset.knobs().equals(knobs)))
        .map(Preset::name)
        .orElse("custom");
  }

  /** What keys override of the preset that is named, such as {@code reads = local}. */
  public List<String> overridesOfPreset() {
    return preset.map(named -> knobs.differingFrom(named.knobs())).orElse(List.of());
  }

  /** This node's entry in the cluster's list. */
  public NodeAddress self() {
    return cluster.node(node.id());
  }
}
