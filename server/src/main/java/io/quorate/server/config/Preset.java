package io.quorate.server.config;

import java.util.List;
import java.util.Optional;

/** A name for a combination of knobs. Only data: nothing asks which preset was chosen. */
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

  public static Optional<Preset> named(String name) {
    return ALL.stream().filter(preset -> preset.name().equals(name)).findFirst();
  }
}
