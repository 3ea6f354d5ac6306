package io.quorate.torture.nemesis.arena;

import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.torture.testbed.clock.Clocks;
import io.quorate.torture.testbed.disk.Disks;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The disks, clocks and settings that faults need, for the nodes of one cluster, as far as this
 * machine can provide them.
 */
public final class Equipment implements AutoCloseable {
  private static final Map<Need, Map<String, String>> SETTINGS =
      Map.of(
          Need.SHORT_LOGS,
          Map.of(
              "storage.flush-interval", "1s",
              "raft.segment-size", "64KiB",
              "raft.log-retained-entries", "64",
              "raft.log-retained-for-slow-entries", "64",
              "raft.purge-interval", "1s",
              "rabia.segment-size", "64KiB",
              "rabia.slots-retained", "64",
              "rabia.state-interval", "200ms"),
          Need.SHORT_PLANS,
          Map.of("placement.withdraw-after", "10s"));

  private final Map<Need, String> obstacles = new EnumMap<>(Need.class);
  private Optional<Disks> disks = Optional.empty();
  private Optional<Clocks> clocks = Optional.empty();
  private final Set<Need> needs;

  private Equipment(Set<Need> needs) {
    this.needs = Set.copyOf(needs);
  }

  /** No equipment: the nodes use the disk and the clock of the machine. */
  public static Equipment none() {
    return new Equipment(Set.of());
  }

  /** Creates the equipment, before the nodes of this plan are started for the first time. */
  public static Equipment of(ClusterPlan plan, Set<Need> needs) {
    Equipment equipment = new Equipment(needs);
    if (needs.contains(Need.DISKS)) {
      equipment.makeDisks(plan);
    }
    if (needs.contains(Need.CLOCKS)) {
      equipment.makeClocks();
    }
    return equipment;
  }

  private void makeDisks(ClusterPlan plan) {
    Disks.obstacle().ifPresent(obstacle -> obstacles.put(Need.DISKS, obstacle));
    if (obstacles.containsKey(Need.DISKS)) {
      return;
    }
    try {
      disks = Optional.of(Disks.of(plan));
    } catch (IOException e) {
      obstacles.put(Need.DISKS, "a disk for each node cannot be created: " + e.getMessage());
    }
  }

  private void makeClocks() {
    Clocks.obstacle().ifPresent(obstacle -> obstacles.put(Need.CLOCKS, obstacle));
    if (obstacles.containsKey(Need.CLOCKS)) {
      return;
    }
    try {
      clocks = Optional.of(Clocks.create());
    } catch (IOException e) {
      obstacles.put(Need.CLOCKS, "a clock for each node cannot be created: " + e.getMessage());
    }
  }

  /** The environment variables of a node's process. */
  public Map<String, String> environment(NodePlan node) {
    return clocks.map(present -> present.environment(node)).orElse(Map.of());
  }

  /** The settings that the configuration of each node must contain. */
  public Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    needs.forEach(need -> settings.putAll(SETTINGS.getOrDefault(need, Map.of())));
    return settings;
  }

  /** The reason why a need is not fulfilled, as a clause; empty if all are. */
  Optional<String> obstacle(Set<Need> needs) {
    return needs.stream()
        .filter(need -> !has(need))
        .map(need -> obstacles.getOrDefault(need, "the cluster was not prepared for it"))
        .findFirst();
  }

  private boolean has(Need need) {
    return switch (need) {
      case DISKS -> disks.isPresent();
      case CLOCKS -> clocks.isPresent();
      case SHORT_LOGS, SHORT_PLANS -> needs.contains(need);
    };
  }

  /**
   * @throws IllegalStateException if the nodes have no disks of their own
   */
  Disks disks() {
    return disks.orElseThrow(
        () -> new IllegalStateException("The nodes have no disks of their own"));
  }

  /**
   * @throws IllegalStateException if the nodes have no clocks of their own
   */
  public Clocks clocks() {
    return clocks.orElseThrow(
        () -> new IllegalStateException("The nodes have no clocks of their own"));
  }

  /** Unmounts the disks. Called after the last node has ended. Blocks. */
  @Override
  public void close() {
    disks.ifPresent(Disks::close);
  }
}
