package io.quorate.server.localcluster;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writers that record which of their writes were acknowledged. A writer counts one key up to a
 * bound, one write at a time, and then continues with the next key. It writes no key again after an
 * indeterminate write, since that write may take effect later.
 */
public final class WriteLedger {
  private static final int WRITES_PER_KEY = 10;

  /**
   * The values that a key may have.
   *
   * @param acknowledged the last count that was acknowledged; 0 if none was
   * @param undecided whether the next count was sent and may have been written
   */
  public record Account(byte[] key, int acknowledged, boolean undecided) {
    boolean allows(Optional<byte[]> value) {
      int found =
          value.map(bytes -> Integer.parseInt(new String(bytes, StandardCharsets.UTF_8))).orElse(0);
      return found == acknowledged || undecided && found == acknowledged + 1;
    }
  }

  /** The client bounds the requests that wait. */
  private static final int READS_AT_ONCE = 1_000;

  private final AsyncQuorateClient client;
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong undecided = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong keys = new AtomicLong();
  private final Queue<Account> closed = new ConcurrentLinkedQueue<>();
  private final List<CompletableFuture<Void>> writers = new ArrayList<>();
  private volatile boolean stopping;

  public WriteLedger(AsyncQuorateClient client) {
    this.client = client;
  }

  public void start(int count) {
    for (int i = 0; i < count; i++) {
      writers.add(nextKey());
    }
  }

  /** Ends each writer after its write in flight; blocks until all have ended. */
  public void stop() {
    stopping = true;
    CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new)).join();
  }

  public long acknowledged() {
    return acknowledged.get();
  }

  public long undecided() {
    return undecided.get();
  }

  /** The number of writes that were not acknowledged, including undecided ones. */
  public long failed() {
    return failed.get();
  }

  /** The accounts of the keys that no writer writes again. */
  public List<Account> closed() {
    return List.copyOf(closed);
  }

  /** Reads the closed keys linearizably, and describes those with a value that is not allowed. */
  public List<String> violations() {
    List<String> violations = new ArrayList<>();
    List<Account> accounts = closed();
    for (int from = 0; from < accounts.size(); from += READS_AT_ONCE) {
      List<CompletableFuture<Optional<String>>> checks =
          accounts.subList(from, Math.min(from + READS_AT_ONCE, accounts.size())).stream()
              .map(this::check)
              .toList();
      checks.forEach(check -> check.join().ifPresent(violations::add));
    }
    return violations;
  }

  private CompletableFuture<Optional<String>> check(Account account) {
    return client
        .get(account.key())
        .thenApply(
            value ->
                account.allows(value) ? Optional.empty() : Optional.of(describe(account, value)));
  }

  private static String describe(Account account, Optional<byte[]> value) {
    return "key "
        + new String(account.key(), StandardCharsets.UTF_8)
        + " holds "
        + value.map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse("nothing")
        + " where "
        + account.acknowledged()
        + (account.undecided() ? " or one more" : "")
        + " was written";
  }

  private CompletableFuture<Void> nextKey() {
    if (stopping) {
      return CompletableFuture.completedFuture(null);
    }
    long number = keys.getAndIncrement();
    // The first byte runs through all ASCII values, so that every region receives writes.
    String name = (char) (number % 128) + "-" + number;
    return count(name.getBytes(StandardCharsets.UTF_8), 0);
  }

  private CompletableFuture<Void> count(byte[] key, int done) {
    if (done == WRITES_PER_KEY || stopping) {
      closed.add(new Account(key, done, false));
      return nextKey();
    }
    byte[] next = Integer.toString(done + 1).getBytes(StandardCharsets.UTF_8);
    return client
        .put(key, next)
        .handle((position, failure) -> completed(key, done, failure))
        .thenCompose(future -> future);
  }

  private CompletableFuture<Void> completed(byte[] key, int done, Throwable failure) {
    if (failure == null) {
      acknowledged.incrementAndGet();
      return count(key, done + 1);
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof QuorateException) {
      failed.incrementAndGet();
      boolean indeterminate = cause instanceof IndeterminateException;
      if (indeterminate) {
        undecided.incrementAndGet();
      }
      // Any other QuorateException means that the write had no effect.
      closed.add(new Account(key, done, indeterminate));
      return nextKey();
    }
    return CompletableFuture.failedFuture(cause);
  }
}
