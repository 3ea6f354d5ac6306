package io.quorate.server.node.monitor;

import io.quorate.consensus.ConsensusException;
import io.quorate.storage.options.StorageFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Ends the node if storage fails to write for half a minute, other than because its disk is full:
 * RocksDB keeps such an error, for example that there were too many open files, until it is opened
 * again, although the reason may have ended long ago. From a full disk it recovers by itself, and a
 * restart repairs neither damage nor a defect. Run every second, by one thread.
 */
public final class StorageWatch implements Runnable {
  private static final Duration FAILING_MAX = Duration.ofSeconds(30);

  private final Supplier<List<StorageFailure>> failures;
  private final Consumer<ConsensusException.Fatal> onFatal;
  private final LongSupplier nanoClock;

  /** Since when writes have failed; empty while they do not. */
  private OptionalLong sinceNanos = OptionalLong.empty();

  private boolean hasEnded;

  /**
   * @param failures those that have not ended; must not block
   * @param onFatal called once, if they last
   * @param nanoClock as {@link System#nanoTime}
   */
  public StorageWatch(
      Supplier<List<StorageFailure>> failures,
      Consumer<ConsensusException.Fatal> onFatal,
      LongSupplier nanoClock) {
    this.failures = failures;
    this.onFatal = onFatal;
    this.nanoClock = nanoClock;
  }

  @Override
  public void run() {
    Optional<StorageFailure> failure =
        failures.get().stream().filter(each -> each.kind() == StorageFailure.Kind.IO).findFirst();
    if (failure.isEmpty()) {
      sinceNanos = OptionalLong.empty();
      return;
    }
    long now = nanoClock.getAsLong();
    if (sinceNanos.isEmpty()) {
      sinceNanos = OptionalLong.of(now);
    }
    if (!hasEnded && now - sinceNanos.getAsLong() >= FAILING_MAX.toNanos()) {
      hasEnded = true;
      onFatal.accept(
          new ConsensusException.Fatal(
              "The database of this node has not been writable for "
                  + FAILING_MAX.toSeconds()
                  + " s, and is to be opened again by a restart: "
                  + failure.get().message(),
              null));
    }
  }
}
