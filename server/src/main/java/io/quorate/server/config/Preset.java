package io.quorate.server.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A name for a combination of settings. Pure data: no behaviour depends on the chosen preset.
 *
 * @param engineSettings settings of the engine's section that differ from their defaults
 */
public record Preset(String name, ClusterMode mode, Map<String, String> engineSettings) {
  public static final List<Preset> ALL =
      List.of(
          new Preset(
              "raft",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.LEADER)),
          new Preset(
              "cr",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_COMMIT,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.LEADER)),
          new Preset(
              "buc",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_COMMIT,
                  ClusterMode.ReadAcceleration.ON,
                  ClusterMode.Reads.LEADER)),
          new Preset(
              "craft",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.CODED,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.LEADER)),
          // For comparison, as in the CRaft paper: without complete copies, and so without Raft's
          // liveness.
          new Preset(
              "rs-raft",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.CODED,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.LEADER),
              Map.of("coded.fallback", "off")),
          new Preset(
              "follower",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.FOLLOWER)),
          new Preset(
              "quorum",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.QUORUM)),
          new Preset(
              "quorum-retry",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.QUORUM_RETRY)),
          new Preset(
              "quorum-simple",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.QUORUM_SIMPLE)),
          new Preset(
              "mixed",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.MIXED)),
          new Preset(
              "adaptive",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.ADAPTIVE)),
          new Preset(
              "local",
              new ClusterMode(
                  "raft",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.LOCAL)),
          new Preset(
              "rabia",
              new ClusterMode(
                  "rabia",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.CONSENSUS)),
          new Preset(
              "acqr",
              new ClusterMode(
                  "rabia",
                  ClusterMode.Replication.FULL,
                  ClusterMode.Reply.AT_APPLY,
                  ClusterMode.ReadAcceleration.OFF,
                  ClusterMode.Reads.QUORUM)));

  /** A preset with the default settings of its engine. */
  private Preset(String name, ClusterMode mode) {
    this(name, mode, Map.of());
  }

  /** The preset of a configuration that names none. */
  public static final Preset DEFAULT = ALL.get(0);

  /** The names of all presets. */
  public static List<String> names() {
    return ALL.stream().map(Preset::name).toList();
  }

  /** The preset of this name. */
  public static Optional<Preset> named(String name) {
    return ALL.stream().filter(preset -> preset.name().equals(name)).findFirst();
  }
}
