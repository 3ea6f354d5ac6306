package io.quorate.server.config;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Capabilities;
import io.quorate.consensus.FollowerReads;
import io.quorate.model.Guarantee;
import io.quorate.protocol.operation.Limits;
import io.quorate.quorum.QuorumReads;
import java.util.List;
import java.util.Locale;

/** Validates that the engine offers what the configuration requires. */
public final class EngineValidator {
  private static final int COMMAND_OVERHEAD_BYTES = 64;

  private EngineValidator() {}

  /**
   * @param capabilities of the engine that the configuration names, with its configured settings
   * @throws ConfigException if the configuration requires a capability that is missing
   */
  public static void require(ServerConfig config, Capabilities capabilities) {
    ClusterMode mode = config.mode();
    String engine = mode.engine();
    requireReads(mode, capabilities);
    int replicas = config.cluster().replicas();
    if (mode.replication() == ClusterMode.Replication.CODED) {
      requireCoded(mode, replicas, capabilities);
    }
    if (replicas > capabilities.replicasMax()) {
      throw new ConfigException(
          String.format(
              Locale.ROOT,
              "Key cluster.replicas requires %d replicas of a region, and engine %s has at most %d; lower it.",
              replicas,
              engine,
              capabilities.replicasMax()));
    }
    int needed = commandBytesNeeded(config.limits().operations(), mode);
    if (needed > capabilities.largestCommandBytes()) {
      throw new ConfigException(
          String.format(
              Locale.ROOT,
              "Keys limits.value and limits.batch need commands of %d bytes, and engine %s takes at most %d; lower the limits, or raise the engine's in section %s.",
              needed,
              engine,
              capabilities.largestCommandBytes(),
              engine));
    }
  }

  private static void requireReads(ClusterMode mode, Capabilities capabilities) {
    ClusterMode.Reads reads = mode.reads();
    if (reads.isByLeaderAlone() && !capabilities.hasLeader()) {
      throw unsupported(mode, "needs a leader, and engine %s has none; use consensus or quorum.");
    }
    if (reads.isMixed() && !capabilities.hasLeader()) {
      throw unsupported(mode, "needs a leader, and engine %s has none; use quorum.");
    }
    if (reads == ClusterMode.Reads.CONSENSUS && capabilities.hasLeader()) {
      throw unsupported(
          mode, "is for engines without a leader, and engine %s has one; use leader.");
    }
    boolean isOffered =
        switch (reads) {
          case LEADER, CONSENSUS -> capabilities.offers(Guarantee.LINEARIZABLE);
          case LEASE ->
              capabilities.offers(Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED)
                  && capabilities.offers(Guarantee.LINEARIZABLE);
          case LOCAL -> capabilities.offers(Guarantee.LOCAL);
          case FOLLOWER -> capabilities.controls().contains(FollowerReads.class);
          case QUORUM, QUORUM_RETRY, QUORUM_SIMPLE ->
              capabilities.controls().contains(QuorumReads.class);
          case MIXED, ADAPTIVE ->
              capabilities.controls().containsAll(List.of(QuorumReads.class, FollowerReads.class));
        };
    if (!isOffered) {
      throw unsupported(
          mode,
          "needs a capability that engine %s does not offer with the settings in its section; change one of the two.");
    }
  }

  private static void requireCoded(ClusterMode mode, int replicas, Capabilities capabilities) {
    if (!capabilities.controls().contains(BodyReplication.class)) {
      throw notCoded("needs an engine with bodies, and engine " + mode.engine() + " has none.");
    }
    if (replicas != 3 && replicas != 5 && replicas != 7) {
      throw notCoded("needs cluster.replicas = 3, 5 or 7, and it is " + replicas + ".");
    }
    if (mode.reply() != ClusterMode.Reply.AT_APPLY) {
      throw notCoded(
          "needs reply = at-apply: what a coded write does is known when it is applied.");
    }
    if (mode.readAcceleration() != ClusterMode.ReadAcceleration.OFF) {
      throw notCoded("needs read-acceleration = off: coded values are read from applied rows.");
    }
    if (!mode.reads().isByLeaderAlone()) {
      throw notCoded(
          "needs reads = leader or lease: the other replicas hold fragments of large values.");
    }
  }

  private static ConfigException notCoded(String reason) {
    return new ConfigException("Key replication = coded " + reason);
  }

  /**
   * @param reason the text after the value of the key; {@code %s} stands for the engine's name
   */
  private static ConfigException unsupported(ClusterMode mode, String reason) {
    return new ConfigException(
        "Key reads = "
            + ClusterMode.text(mode.reads())
            + " "
            + String.format(Locale.ROOT, reason, mode.engine()));
  }

  /**
   * The size of the longest put or batch that is a command. Operations with two values may have to
   * be shorter than the limits allow. With coded replication a large value is no command, and the
   * engine requires that the others are short enough.
   */
  private static int commandBytesNeeded(Limits limits, ClusterMode mode) {
    int batch = limits.batchBytes() + limits.batchOperations();
    boolean areBodies = mode.replication() == ClusterMode.Replication.CODED;
    int put = areBodies ? 0 : limits.valueBytes() + limits.keyBytes();
    return Math.max(put, batch) + COMMAND_OVERHEAD_BYTES;
  }
}
