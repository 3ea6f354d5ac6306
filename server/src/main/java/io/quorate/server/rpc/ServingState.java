package io.quorate.server.rpc;

import io.quorate.server.rpc.request.RequestRejected;
import java.util.Optional;

/** Whether this node accepts requests, and the reason if not. Any thread; does not block. */
public final class ServingState {

  /** The phase of the node's life cycle. */
  public enum Phase {
    STARTING,
    SERVING,
    STOPPING
  }

  private static final String IS_STARTING = "This node is starting.";

  private volatile Phase phase = Phase.STARTING;
  private volatile String startRefusal = IS_STARTING;
  private volatile Optional<String> writeRefusal = Optional.empty();
  private volatile Optional<String> damage = Optional.empty();

  public Phase phase() {
    return phase;
  }

  /**
   * States what the start waits for now, so that an operator can see it from another node.
   *
   * @param reason part of a sentence, without a full stop; empty if it waits for nothing
   */
  public void waitFor(String reason) {
    startRefusal = reason.isEmpty() ? IS_STARTING : "This node does not serve yet: " + reason + ".";
  }

  /** Why the node does not serve while it is starting: a sentence. */
  String startRefusal() {
    return startRefusal;
  }

  /** Starts to serve, after the node has joined its cluster. No effect once it is stopping. */
  public synchronized void serve() {
    if (phase == Phase.STARTING) {
      phase = Phase.SERVING;
    }
  }

  public synchronized void stop() {
    phase = Phase.STOPPING;
  }

  /** Rejects writes from now on, with this sentence as the reason. */
  public void refuseWrites(String reason) {
    writeRefusal = Optional.of(reason);
  }

  public void acceptWrites() {
    writeRefusal = Optional.empty();
  }

  /**
   * Rejects writes until the process ends, because this node can no longer apply or read all of
   * what it has: its leaderships go to others.
   *
   * @param reason a sentence
   */
  public synchronized void damaged(String reason) {
    damage = damage.or(() -> Optional.of(reason));
  }

  /** The reason that {@link #damaged} was called with first; empty if it was not. */
  public Optional<String> damage() {
    return damage;
  }

  /** The reason for which writes are rejected; empty if they are accepted. */
  public Optional<String> writeRefusal() {
    return switch (phase) {
      case STARTING -> Optional.of(startRefusal);
      case STOPPING -> Optional.of("This node is stopping.");
      case SERVING -> damage.or(() -> writeRefusal);
    };
  }

  void requireWritable() {
    writeRefusal()
        .ifPresent(
            reason -> {
              throw RequestRejected.unavailable(reason);
            });
  }
}
