package io.quorate.server.config;

import java.util.List;
import java.util.Optional;

/** A name for a combination of knobs. Only data: nothing depends on which preset was chosen. */
public record Preset(String name, Knobs knobs) {
  public static final List<Preset> ALL =
      List.of(
          new Preset(
              "raft",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.LEADER)),
          new Preset(
              "cr",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_COMMIT,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.LEADER)),
          new Preset(
              "buc",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_COMMIT,
                  Knobs.ReadAcceleration.ON,
                  Knobs.Reads.LEADER)),
          new Preset(
              "leader",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.LEADER)),
          new Preset(
              "follower",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.FOLLOWER)),
          new Preset(
              "quorum",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.QUORUM_SIMPLE)),
          new Preset(
              "quorum-retry",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.QUORUM_RETRY)),
          new Preset(
              "quorum-strong",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.QUORUM)),
          new Preset(
              "mixed",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.MIXED)),
          new Preset(
              "adaptive",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.ADAPTIVE)),
          new Preset(
              "local",
              new Knobs(
                  "raft",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.LOCAL)),
          new Preset(
              "rabia",
              new Knobs(
                  "rabia",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.CONSENSUS)),
          new Preset(
              "acqr",
              new Knobs(
                  "rabia",
                  Knobs.Replication.FULL,
                  Knobs.Reply.AT_APPLY,
                  Knobs.ReadAcceleration.OFF,
                  Knobs.Reads.QUORUM)));

  /** What holds where a configuration names none. */
  public static final Preset DEFAULT = ALL.get(0);

  /** The names of all presets. */
  public static List<String> names() {
    return ALL.stream().map(Preset::name).toList();
  }

  public static Optional<Preset> named(String name) {
    return ALL.stream().filter(preset -> preset.name().equals(name)).findFirst();
  }
}
