package io.quorate.server.door;

import java.util.Optional;

/** Whether this node takes requests now, and why not. Any thread; nothing blocks. */
public final class ServiceGate {

  /** Where the node stands in its life. */
  public enum Phase {
    STARTING,
    SERVING,
    STOPPING
  }

  private volatile Phase phase = Phase.STARTING;
  private volatile Optional<String> writeRefusal = Optional.empty();

  public Phase phase() {
    return phase;
  }

  /** The node has joined its cluster. Without effect once it is stopping. */
  public synchronized void serve() {
    if (phase == Phase.STARTING) {
      phase = Phase.SERVING;
    }
  }

  public synchronized void stop() {
    phase = Phase.STOPPING;
  }

  /** From now on writes are refused with this sentence. */
  public void refuseWrites(String sentence) {
    writeRefusal = Optional.of(sentence);
  }

  public void acceptWrites() {
    writeRefusal = Optional.empty();
  }

  /** Why writes are refused, if they are. */
  public Optional<String> writeRefusal() {
    return switch (phase) {
      case STARTING -> Optional.of("This node is starting.");
      case STOPPING -> Optional.of("This node is stopping.");
      case SERVING -> writeRefusal;
    };
  }

  void requireWritable() {
    writeRefusal()
        .ifPresent(
            sentence -> {
              throw Refusal.unavailable(sentence);
            });
  }
}
