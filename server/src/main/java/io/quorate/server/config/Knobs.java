package io.quorate.server.config;

import java.util.Locale;

/**
 * The choices that make a cluster what it is. A {@link Preset} is a name for one combination.
 *
 * @param engine the name of the consensus engine
 * @param replication what each replica receives of a command
 * @param reply when a write is answered
 * @param readAcceleration whether reads see committed writes before they are applied
 * @param reads how a linearizable read is served
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
    AT_APPLY
  }

  /** Whether reads see committed writes before they are applied. */
  public enum ReadAcceleration {
    OFF
  }

  /** How a linearizable read is served. */
  public enum Reads {
    /** By the leader, once a majority has confirmed that it leads. Depends on no clock. */
    LEADER,
    /** By the leader while its lease lasts: linearizable if clock rates differ within a bound. */
    LEASE,
    /**
     * By any replica, once what it says by consensus is agreed upon; for engines without leader.
     */
    CONSENSUS,
    /** By shares of a quorum of replicas, whoever they are, merged by a node or by the client. */
    QUORUM
  }

  /** A constant as it is written in the configuration. */
  static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
