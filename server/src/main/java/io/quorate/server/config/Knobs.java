package io.quorate.server.config;

import io.quorate.consensus.quorum.QuorumRule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The choices that make a cluster what it is. A {@link Preset} is a name for one combination.
 *
 * @param engine the name of the consensus engine
 * @param replication what each replica receives of a command
 * @param reply when a write is answered
 * @param readAcceleration whether reads see committed writes before they are applied
 * @param reads how a read is served that asks for what the cluster is set up for
 */
public record Knobs(
    String engine,
    Replication replication,
    Reply reply,
    ReadAcceleration readAcceleration,
    Reads reads) {

  /** What each replica receives of a command. */
  public enum Replication {
    /** All of it. */
    FULL
  }

  /** When a write is answered. */
  public enum Reply {
    /** Once the answering replica has applied it. */
    AT_APPLY,
    /** Once it is committed, where its answer does not depend on the state; else as above. */
    AT_COMMIT
  }

  /** Whether reads see committed writes before they are applied. */
  public enum ReadAcceleration {
    OFF,
    ON
  }

  /** How a read is served that asks for what the cluster is set up for. */
  public enum Reads {
    /** By the leader, once a majority has confirmed that it leads. Depends on no clock. */
    LEADER(true, Optional.empty()),
    /**
     * By the leader while its lease lasts: linearizable if clock rates differ within a bound. A
     * read that may depend on no clock is served as under {@link #LEADER}.
     */
    LEASE(true, Optional.empty()),
    /**
     * By any replica, once what it says by consensus is agreed upon; for engines without leader.
     */
    CONSENSUS(true, Optional.empty()),
    /** By any replica, behind the index that the leader confirms to it. */
    FOLLOWER(true, Optional.empty()),
    /** By shares of a quorum of replicas, whoever they are, merged by a node or by the client. */
    QUORUM(true, Optional.of(QuorumRule.BARRIER)),
    /** As it was published for Raft: shares are taken again while a write is on its way. */
    QUORUM_RETRY(true, Optional.of(QuorumRule.RETRY)),
    /** By the newest share of a quorum, which may miss a write that is being committed. */
    QUORUM_SIMPLE(false, Optional.of(QuorumRule.NEWEST)),
    /** By any replica, whatever it has applied. */
    LOCAL(false, Optional.empty()),
    /** Some by the leader, the others by a quorum of the others, in fixed parts. */
    MIXED(true, Optional.of(QuorumRule.BARRIER)),
    /** As {@link #MIXED}, in parts that follow how long either takes. */
    ADAPTIVE(true, Optional.of(QuorumRule.BARRIER));

    private final boolean linearizable;
    private final Optional<QuorumRule> quorumRule;

    Reads(boolean linearizable, Optional<QuorumRule> quorumRule) {
      this.linearizable = linearizable;
      this.quorumRule = quorumRule;
    }

    /** Whether such reads are linearizable, clocks permitting. */
    public boolean isLinearizable() {
      return linearizable;
    }

    /** By which rule shares of a quorum are merged, if that is how reads are served. */
    public Optional<QuorumRule> quorumRule() {
      return quorumRule;
    }

    /** Whether only the leader serves, where there is one. */
    public boolean isByLeaderAlone() {
      return this == LEADER || this == LEASE;
    }

    /** Whether reads are divided between the leader and a quorum of the others. */
    public boolean isMixed() {
      return this == MIXED || this == ADAPTIVE;
    }
  }

  /** The knobs in the order and the form of the configuration. */
  public Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("engine", engine);
    texts.put("replication", text(replication));
    texts.put("reply", text(reply));
    texts.put("read-acceleration", text(readAcceleration));
    texts.put("reads", text(reads));
    return texts;
  }

  /** Those that are others, in the form of the configuration. */
  List<String> differingFrom(Knobs other) {
    Map<String, String> others = other.texts();
    return texts().entrySet().stream()
        .filter(knob -> !knob.getValue().equals(others.get(knob.getKey())))
        .map(knob -> knob.getKey() + " = " + knob.getValue())
        .toList();
  }

  /** A constant as it is written in the configuration. */
  public static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
