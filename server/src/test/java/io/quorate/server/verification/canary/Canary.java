package io.quorate.server.verification.canary;

import io.quorate.server.verification.agent.Defect;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A broken rule, and the faults under which that shows. */
public enum Canary {
  /** Followers append and acknowledge as Ratis 3.3.0 makes them by default, unchecked. */
  ACK_GUARD_OFF(new AckGuardOff(), "late-acknowledgement"),
  /** Read indexes are those of Ratis' own linearizable reads. */
  CONFIRMED_READ_OFF(new ConfirmedReadOff(), "partition-full"),
  /** The applied position is written by itself, before the data. */
  TWO_BATCHES(new TwoBatches(), "crash-between-writes"),
  /** Writes without a result are answered when they are proposed. */
  REPLY_BEFORE_COMMIT(new ReplyBeforeCommit(), "partition-full", "kill-leader", "pause-leader"),
  /** A request that comes again is executed again. */
  DEDUPLICATION_OFF(new DeduplicationOff(), "lost-replies", "kill-leader"),
  /** No consensus log is forced to the disk. */
  FSYNC_OFF(new FsyncOff(), "power-loss");

  private static final Set<Canary> OF_RAFT = EnumSet.of(ACK_GUARD_OFF, CONFIRMED_READ_OFF);

  private final Defect defect;
  private final List<String> nemeses;

  Canary(Defect defect, String... nemeses) {
    this.defect = defect;
    this.nemeses = List.of(nemeses);
  }

  /** For the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public Defect defect() {
    return defect;
  }

  /** The engine whose rule it is; empty for what every engine relies on. */
  public Optional<String> engine() {
    return OF_RAFT.contains(this) ? Optional.of("raft") : Optional.empty();
  }

  /** Names of the faults under which the broken rule shows. */
  public List<String> nemeses() {
    return nemeses;
  }

  public static Optional<Canary> labelled(String label) {
    return Stream.of(values()).filter(canary -> canary.label().equals(label)).findFirst();
  }

  /** All labels, for a message. */
  public static String labels() {
    return Stream.of(values()).map(Canary::label).collect(Collectors.joining(", "));
  }
}
