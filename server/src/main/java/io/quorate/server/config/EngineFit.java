package io.quorate.server.config;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.quorum.QuorumReads;
import io.quorate.operation.Limits;
import java.util.List;

/** Whether what the configuration asks for is what the engine offers. */
public final class EngineFit {
  private static final int COMMAND_OVERHEAD_BYTES = 64;

  private EngineFit() {}

  /**
   * @param offered by the engine that the configuration names, under the settings it gives
   * @throws ConfigException if they do not fit together
   */
  public static void require(ServerConfig config, Capabilities offered) {
    Knobs knobs = config.knobs();
    String engine = knobs.engine();
    requireReads(knobs, offered);
    if (knobs.replication() == Knobs.Replication.FULL && !offered.fullReplicas()) {
      throw new ConfigException(
          "Key replication = full needs replicas that hold every command in full, which engine %s does not offer as section %s sets it up."
              .formatted(engine, engine));
    }
    int replicas = config.cluster().replicas();
    if (replicas > offered.replicasMost()) {
      throw new ConfigException(
          "Key cluster.replicas asks for %d replicas of a region, and engine %s has at most %d; lower it."
              .formatted(replicas, engine, offered.replicasMost()));
    }
    int needed = commandBytesNeeded(config.limits().operations());
    if (needed > offered.largestCommandBytes()) {
      throw new ConfigException(
          "Keys limits.value and limits.batch need commands of %d bytes, and engine %s takes at most %d; lower the limits, or raise the engine's in section %s."
              .formatted(needed, engine, offered.largestCommandBytes(), engine));
    }
  }

  private static void requireReads(Knobs knobs, Capabilities offered) {
    Knobs.Reads reads = knobs.reads();
    if (reads.isByLeaderAlone() && !offered.hasLeader()) {
      throw misfit(knobs, "needs a leader, and engine %s has none; use consensus or quorum.");
    }
    if (reads.isMixed() && !offered.hasLeader()) {
      throw misfit(knobs, "needs a leader, and engine %s has none; use quorum.");
    }
    if (reads == Knobs.Reads.CONSENSUS && offered.hasLeader()) {
      throw misfit(knobs, "is for engines without a leader, and engine %s has one; use leader.");
    }
    boolean isByOthers =
        !reads.isByLeaderAlone() && reads != Knobs.Reads.CONSENSUS && offered.hasLeader();
    if (isByOthers && !offered.fullReplicas()) {
      throw misfit(
          knobs,
          "reads from replicas that hold every value in full, which engine %s does not keep as its section sets it up; use leader.");
    }
    boolean isOffered =
        switch (reads) {
          case LEADER, CONSENSUS -> offered.offers(Guarantee.LINEARIZABLE);
          case LEASE ->
              offered.offers(Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED)
                  && offered.offers(Guarantee.LINEARIZABLE);
          case LOCAL -> offered.offers(Guarantee.LOCAL);
          case FOLLOWER -> offered.controls().contains(FollowerReads.class);
          case QUORUM, QUORUM_RETRY, QUORUM_SIMPLE ->
              offered.controls().contains(QuorumReads.class);
          case MIXED, ADAPTIVE ->
              offered.controls().containsAll(List.of(QuorumReads.class, FollowerReads.class));
        };
    if (!isOffered) {
      throw misfit(
          knobs,
          "needs what engine %s does not offer as the section of its name sets it up; change one of the two.");
    }
  }

  /**
   * @param why what follows the value of the key; {@code %s} stands for the engine's name
   */
  private static ConfigException misfit(Knobs knobs, String why) {
    return new ConfigException(
        "Key reads = " + Knobs.text(knobs.reads()) + " " + why.formatted(knobs.engine()));
  }

  /** The longest put or batch. Operations with two values may have to be shorter than allowed. */
  private static int commandBytesNeeded(Limits limits) {
    int batch = limits.batchBytes() + limits.batchOperations();
    return Math.max(limits.valueBytes() + limits.keyBytes(), batch) + COMMAND_OVERHEAD_BYTES;
  }
}
