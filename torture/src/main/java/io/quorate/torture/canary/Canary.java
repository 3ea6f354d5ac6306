package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A safety rule that is broken on purpose, and the faults that reveal it. */
public enum Canary {
  /** Reads use the read index of Ratis' own linearizable reads. */
  CONFIRMED_READ_OFF(new ConfirmedReadOff(), Settings.LATE_STEP_DOWN, "partition-full"),
  /** The applied position is written in a batch of its own, before the data. */
  TWO_BATCHES(new TwoBatches(), "crash-between-writes"),
  /** Writes without a result are acknowledged when they are proposed. */
  REPLY_BEFORE_COMMIT(new ReplyBeforeCommit(), "partition-full", "kill-leader", "pause-leader"),
  /** A retried request is executed again. */
  DEDUPLICATION_OFF(new DeduplicationOff(), "lost-replies", "kill-leader"),
  /** An fsync of a consensus log does nothing. */
  FSYNC_OFF(new FsyncOff(), "power-loss"),
  /** A log whose end or newest file is missing is opened as if it had none of it. */
  LOG_END_IGNORED(new LogEndIgnored(), Settings.RARE_FLUSHES, "removed-files"),
  /** Frames of other nodes are read whatever their checksums. */
  CHECKSUM_OFF(new ChecksumOff(), "flipped-bits"),
  /** Values are not written by one replica or another. */
  APPLY_SKIPPED(new ApplySkipped(), "kill-one"),
  /** A fragment of a body that a follower stored counts as a complete copy. */
  FRAGMENT_AS_COPY(new FragmentAsCopy(), Settings.FRAGMENTS_ONLY, "kill-one", "lost-bodies"),
  /** A header takes effect also in a later term than that of its body. */
  HEADER_IN_LATER_TERM(new HeaderInLaterTerm(), Settings.FREQUENT_SWEEPS, "transfer-and-return");

  private static final Set<Canary> OF_CODING = EnumSet.of(FRAGMENT_AS_COPY, HEADER_IN_LATER_TERM);
  private static final Set<Canary> OF_RAFT =
      EnumSet.of(CONFIRMED_READ_OFF, FRAGMENT_AS_COPY, HEADER_IN_LATER_TERM);

  private final Defect defect;
  private final Map<String, String> settings;
  private final List<String> nemeses;

  Canary(Defect defect, String... nemeses) {
    this(defect, Map.of(), nemeses);
  }

  Canary(Defect defect, Map<String, String> settings, String... nemeses) {
    this.defect = defect;
    this.settings = settings;
    this.nemeses = List.of(nemeses);
  }

  /** The name of the canary on the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public Defect defect() {
    return defect;
  }

  /** Settings of the nodes under which the defect has an effect soon; safe without the defect. */
  public Map<String, String> settings() {
    return settings;
  }

  /** The engine whose rule is broken; empty if every engine relies on the rule. */
  public Optional<String> engine() {
    return OF_RAFT.contains(this) ? Optional.of("raft") : Optional.empty();
  }

  /** Whether the rule is one of coded replication, and does not matter without it. */
  public boolean requiresCoding() {
    return OF_CODING.contains(this);
  }

  /** Names of the faults that reveal the broken rule. */
  public List<String> nemeses() {
    return nemeses;
  }

  public static Optional<Canary> labelled(String label) {
    return Stream.of(values()).filter(canary -> canary.label().equals(label)).findFirst();
  }

  /**
   * Whether the fault itself reveals the broken rule, since it requires that nodes notice what it
   * did. Other rules are revealed by results that are wrong or lost.
   */
  public boolean isRevealedByFault() {
    return this == CHECKSUM_OFF;
  }

  /** All labels, separated by commas. */
  public static String labels() {
    return Stream.of(values()).map(Canary::label).collect(Collectors.joining(", "));
  }

  private static final class Settings {
    /**
     * A leader that receives no responses steps down after the longest election timeout, and
     * another one is elected after a random time between the shortest and the longest. With the
     * defaults both happen at nearly the same time; with a longer maximum there are two leaders for
     * seconds.
     */
    static final Map<String, String> LATE_STEP_DOWN =
        Map.of("raft.election-timeout-min", "300ms", "raft.election-timeout-max", "4s");

    /**
     * While a follower is down, others receive no complete copies, which would make bodies durable
     * whatever is counted.
     */
    static final Map<String, String> FRAGMENTS_ONLY = Map.of("raft.coded.fallback", "off");

    /** The rows of a replica do not have what its log loses. */
    static final Map<String, String> RARE_FLUSHES = Map.of("storage.flush-interval", "5m");

    /** Bodies without a header are removed before a leader is back. */
    static final Map<String, String> FREQUENT_SWEEPS =
        Map.of("storage.body-sweep-interval", "100ms");
  }
}
