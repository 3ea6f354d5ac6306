package io.quorate.server.config;

import io.quorate.consensus.EngineSettings;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The whole configuration of one node.
 *
 * @param preset the preset that is named, if one is
 * @param mode the settings in effect: those of the preset, except where other keys override them
 * @param leaderReads the fraction of reads that goes to the leader with {@code reads = mixed}, from
 *     0 to 1; empty for equal load
 * @param rpc limits and timeouts for clients
 * @param engine the section of the engine that {@link ClusterMode#engine} names
 */
public record ServerConfig(
    ClusterConfig cluster,
    NodeConfig node,
    Optional<Preset> preset,
    ClusterMode mode,
    OptionalDouble leaderReads,
    LimitsConfig limits,
    RpcConfig rpc,
    StorageConfig storage,
    EngineSettings engine,
    PlacementConfig placement,
    AdminConfig admin,
    SecurityConfig security,
    ShutdownConfig shutdown) {

  /**
   * The name of the preset: the one that is named, or else the default one if its settings are in
   * effect, or else {@code custom}.
   */
  public String presetName() {
    return preset
        .or(() -> Optional.of(Preset.DEFAULT).filter(preset -> preset.mode().equals(mode)))
        .map(Preset::name)
        .orElse("custom");
  }

  /** The settings that override those of the named preset, such as {@code reads = local}. */
  public List<String> overridesOfPreset() {
    return preset.map(named -> mode.differingFrom(named.mode())).orElse(List.of());
  }

  /** This node's entry in the list of nodes. */
  public ClusterNode self() {
    return cluster.node(node.id());
  }
}
