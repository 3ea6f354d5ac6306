package io.quorate.server.verification.nemesis;

import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.verification.clock.Clocks;
import io.quorate.server.verification.disk.Disks;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What stands between the nodes of a cluster and their machine: of what is needed, as much as there
 * can be here.
 */
public final class Equipment implements AutoCloseable {
  /** What a node lets go of within seconds, so that others cannot catch up from it. */
  private static final Map<String, String> SHORT_LOGS =
      Map.of(
          "storage.flush-interval", "1s",
          "raft.segment-size", "64KiB",
          "raft.log-retained-entries", "64",
          "raft.log-retained-for-slow-entries", "64",
          "raft.purge-interval", "1s",
          "rabia.segment-size", "64KiB",
          "rabia.slots-retained", "64",
          "rabia.state-interval", "200ms");

  private final Map<Need, String> obstacles = new EnumMap<>(Need.class);
  private Optional<Disks> disks = Optional.empty();
  private Optional<Clocks> clocks = Optional.empty();
  private boolean shortLogs;

  private Equipment() {}

  /** Nothing: every node uses the machine as it is. */
  public static Equipment none() {
    return new Equipment();
  }

  /** Made before the nodes of this plan are started for the first time. */
  public static Equipment of(ClusterPlan plan, Set<Need> needs) {
    Equipment equipment = new Equipment();
    if (needs.contains(Need.DISKS)) {
      equipment.makeDisks(plan);
    }
    if (needs.contains(Need.CLOCKS)) {
      equipment.makeClocks();
    }
    equipment.shortLogs = needs.contains(Need.SHORT_LOGS);
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
      obstacles.put(Need.DISKS, "a disk for each node cannot be made: " + e.getMessage());
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
      obstacles.put(Need.CLOCKS, "a clock for each node cannot be made: " + e.getMessage());
    }
  }

  /** What a node's process has to find in its environment. */
  public Map<String, String> environment(NodePlan node) {
    return clocks.map(own -> own.environment(node)).orElse(Map.of());
  }

  /** What a node's configuration has to say. */
  public Map<String, String> settings() {
    return shortLogs ? SHORT_LOGS : Map.of();
  }

  /** Why something that is needed is not there; empty if it is. */
  Optional<String> obstacle(Set<Need> needs) {
    return needs.stream()
        .filter(need -> !has(need))
        .map(need -> obstacles.getOrDefault(need, "it was not prepared for"))
        .findFirst();
  }

  private boolean has(Need need) {
    return switch (need) {
      case DISKS -> disks.isPresent();
      case CLOCKS -> clocks.isPresent();
      case SHORT_LOGS -> shortLogs;
    };
  }

  /**
   * @throws IllegalStateException if there are none
   */
  Disks disks() {
    return disks.orElseThrow(
        () -> new IllegalStateException("The nodes have no disks of their own"));
  }

  /**
   * @throws IllegalStateException if there are none
   */
  Clocks clocks() {
    return clocks.orElseThrow(
        () -> new IllegalStateException("The nodes have no clocks of their own"));
  }

  /** After the last node has ended. Blocks. */
  @Override
  public void close() {
    disks.ifPresent(Disks::close);
  }
}
