package io.quorate.server.config;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.Guarantee;
import io.quorate.operation.Limits;

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
    if (!offered.offers(guarantee(knobs.reads()))) {
      throw new ConfigException(
          "Key reads = %s needs a guarantee that engine %s does not offer as section %s sets it up; change one of the two."
              .formatted(Knobs.text(knobs.reads()), engine, engine));
    }
    if (knobs.replication() == Knobs.Replication.FULL && !offered.fullReplicas()) {
      throw new ConfigException(
          "Key replication = full needs replicas that hold every command in full, which engine %s does not offer as section %s sets it up."
              .formatted(engine, engine));
    }
    int needed = commandBytesNeeded(config.limits().operations());
    if (needed > offered.largestCommandBytes()) {
      throw new ConfigException(
          "Keys limits.value and limits.batch need commands of %d bytes, and engine %s takes at most %d; lower the limits, or raise the engine's in section %s."
              .formatted(needed, engine, offered.largestCommandBytes(), engine));
    }
  }

  /** The guarantee by which reads are served that ask for linearizability. */
  public static Guarantee guarantee(Knobs.Reads reads) {
    return switch (reads) {
      case LEADER -> Guarantee.LINEARIZABLE;
      case LEASE -> Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED;
    };
  }

  /** The longest put or batch. Operations with two values may have to be shorter than allowed. */
  private static int commandBytesNeeded(Limits limits) {
    int batch = limits.batchBytes() + limits.batchOperations();
    return Math.max(limits.valueBytes() + limits.keyBytes(), batch) + COMMAND_OVERHEAD_BYTES;
  }
}
