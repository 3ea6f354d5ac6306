package io.quorate.server.config;

import io.quorate.quorum.QuorumRule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The settings that define how a cluster operates. A {@link Preset} is a name for one combination.
 *
 * @param engine the name of the consensus engine
 * @param replication what each replica receives of a command
 * @param reply when a write is acknowledged
 * @param readAcceleration whether reads see committed writes before they are applied
 * @param reads how reads that request linearizability are served
 */
public record ClusterMode(
    String engine,
    Replication replication,
    Reply reply,
    ReadAcceleration readAcceleration,
    Reads reads) {

  /** What each replica receives of a command. */
  public enum Replication {
    /** The whole command. */
    FULL,
    /**
     * The whole command, except that large values are replicated beside the log, as erasure-coded
     * fragments or complete copies (CRaft).
     */
    CODED
  }

  /** When a write is acknowledged. */
  public enum Reply {
    /** Once the responding replica has applied it. */
    AT_APPLY,
    /** Once it is committed, if its result does not depend on the state; else as AT_APPLY. */
    AT_COMMIT
  }

  /** Whether reads see committed writes before they are applied. */
  public enum ReadAcceleration {
    OFF,
    ON
  }

  /** How reads that request linearizability are served. */
  public enum Reads {
    /** By the leader, after a majority has confirmed that it leads. Independent of clocks. */
    LEADER(true, Optional.empty()),
    /**
     * By the leader while its lease lasts: linearizable if clock rates differ within a bound. A
     * read that must not depend on clocks is served as with {@link #LEADER}.
     */
    LEASE(true, Optional.empty()),
    /** By any replica, after the read has gone through consensus; for engines without a leader. */
    CONSENSUS(true, Optional.empty()),
    /** By any replica, after it has applied up to a read index that the leader confirms. */
    FOLLOWER(true, Optional.empty()),
    /** By the read replies of any quorum of replicas, merged by a node or by the client. */
    QUORUM(true, Optional.of(QuorumRule.BARRIER)),
    /** As published for Raft: read replies are requested again while a write is pending. */
    QUORUM_RETRY(true, Optional.of(QuorumRule.RETRY)),
    /** By the newest read reply of a quorum, which may miss a write that is being committed. */
    QUORUM_SIMPLE(false, Optional.of(QuorumRule.NEWEST)),
    /** By any replica, from the state that it has applied. */
    LOCAL(false, Optional.empty()),
    /** Some by the leader, the rest by a quorum of the other replicas, in fixed proportions. */
    MIXED(true, Optional.of(QuorumRule.BARRIER)),
    /** As {@link #MIXED}, in proportions that follow the measured times of both. */
    ADAPTIVE(true, Optional.of(QuorumRule.BARRIER));

    private final boolean linearizable;
    private final Optional<QuorumRule> quorumRule;

    Reads(boolean linearizable, Optional<QuorumRule> quorumRule) {
      this.linearizable = linearizable;
      this.quorumRule = quorumRule;
    }

    /** Whether such reads are linearizable, if clock rates differ within the assumed bound. */
    public boolean isLinearizable() {
      return linearizable;
    }

    /** The rule that merges the read replies of a quorum; empty if reads do not use them. */
    public Optional<QuorumRule> quorumRule() {
      return quorumRule;
    }

    /** Whether only the leader serves such reads. */
    public boolean isByLeaderAlone() {
      return this == LEADER || this == LEASE;
    }

    /** Whether reads are divided between the leader and a quorum of the other replicas. */
    public boolean isMixed() {
      return this == MIXED || this == ADAPTIVE;
    }
  }

  /** The settings in the order and the form of the configuration. */
  public Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("engine", engine);
    texts.put("replication", text(replication));
    texts.put("reply", text(reply));
    texts.put("read-acceleration", text(readAcceleration));
    texts.put("reads", text(reads));
    return texts;
  }

  /** The settings that differ from {@code other}, in the form of the configuration. */
  List<String> differingFrom(ClusterMode other) {
    Map<String, String> others = other.texts();
    return texts().entrySet().stream()
        .filter(entry -> !entry.getValue().equals(others.get(entry.getKey())))
        .map(entry -> entry.getKey() + " = " + entry.getValue())
        .toList();
  }

  /** A constant as it is written in the configuration. */
  public static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
