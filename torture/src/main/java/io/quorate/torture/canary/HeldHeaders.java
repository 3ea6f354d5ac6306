package io.quorate.torture.canary;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ProposeResult;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The headers of one replica between the decision to propose them and their proposal. Those of an
 * earlier term come first, when the replica leads again and what that term left has been removed;
 * if it does not lead again soon, they are never proposed. Thread-safe.
 */
final class HeldHeaders {
  private static final long TICK_MILLIS = 20;

  /** Long enough for a leader to go and return while a header is held. */
  private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Longer than several sweeps. */
  private static final long DELAY_AFTER_RETURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  /** Shorter than the longest deadline of a client. */
  private static final long HOLD_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "harness-held-headers");
            thread.setDaemon(true);
            return thread;
          });

  private record Header(
      Command command,
      Function<Command, CompletableFuture<ProposeResult>> propose,
      Standing in,
      long sinceNanos,
      CompletableFuture<ProposeResult> outcome) {}

  /** The record of this name of the engine, whose classes the harness does not depend on. */
  private record Standing(long term, boolean leads) {
    static Standing of(Object actual) {
      try {
        return new Standing(
            (long) actual.getClass().getMethod("term").invoke(actual),
            (boolean) actual.getClass().getMethod("leads").invoke(actual));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private final Supplier<?> standing;
  private final List<Header> held = new ArrayList<>();
  private Standing last = new Standing(-1, false);
  private long changedNanos;

  /**
   * @param standing returns the term of the replica and whether it leads
   */
  HeldHeaders(Supplier<?> standing) {
    this.standing = standing;
    TIMER.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Proposes a header later. Does not block. */
  synchronized CompletableFuture<ProposeResult> hold(
      Command command, Function<Command, CompletableFuture<ProposeResult>> propose) {
    Header header =
        new Header(
            command,
            propose,
            Standing.of(standing.get()),
            System.nanoTime(),
            new CompletableFuture<>());
    held.add(header);
    return header.outcome();
  }

  private void tick() {
    List<Header> due = new ArrayList<>();
    List<Header> expired = new ArrayList<>();
    synchronized (this) {
      select(System.nanoTime(), due, expired);
    }
    due.forEach(HeldHeaders::propose);
    expired.forEach(
        header ->
            header
                .outcome()
                .completeExceptionally(
                    new ConsensusException.Unavailable("The header was held for too long.")));
  }

  private void select(long now, List<Header> due, List<Header> expired) {
    Standing current = Standing.of(standing.get());
    if (!current.equals(last)) {
      last = current;
      changedNanos = now;
    }
    boolean hasEarlier = held.stream().anyMatch(header -> header.in().term() < current.term());
    for (Iterator<Header> each = held.iterator(); each.hasNext(); ) {
      Header header = each.next();
      long age = now - header.sinceNanos();
      boolean isEarlier = header.in().term() < current.term();
      if (current.leads()
          && (isEarlier
              ? now - changedNanos >= DELAY_AFTER_RETURN_NANOS
              : !hasEarlier && age >= DELAY_NANOS)) {
        due.add(header);
        each.remove();
      } else if (age >= HOLD_NANOS_MAX) {
        expired.add(header);
        each.remove();
      }
    }
  }

  private static void propose(Header header) {
    try {
      header
          .propose()
          .apply(header.command())
          .whenComplete(
              (result, failure) -> {
                if (failure == null) {
                  header.outcome().complete(result);
                } else {
                  header.outcome().completeExceptionally(failure);
                }
              });
    } catch (RuntimeException e) {
      header.outcome().completeExceptionally(e);
    }
  }
}
