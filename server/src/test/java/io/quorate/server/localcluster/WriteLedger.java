package io.quorate.server.localcluster;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writers that record which of their writes were acknowledged. A writer counts one key up to a
 * bound, one write at a time, and then continues with the next key. It writes no key again after an
 * indeterminate write, since that write may take effect later.
 */
public final class WriteLedger {
  private static final int WRITES_PER_KEY = 10;

  private static final long PAUSE_AFTER_FAILURE_MILLIS = 10;

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

  /** Other records may have written to the same cluster. */
  private final UUID run = UUID.randomUUID();

  private final AtomicLong acknowledged = new AtomicLong();
  private final ConcurrentMap<String, Long> failures = new ConcurrentHashMap<>();
  private final AtomicLong keys = new AtomicLong();
  private final Queue<Account> closed = new ConcurrentLinkedQueue<>();
  private final List<CompletableFuture<Void>> writers = new ArrayList<>();
  private volatile boolean stopping;

  public WriteLedger(AsyncQuorateClient client) {
    this.client = client;
  }

  public void start(int count) {
    for (int i = 0; i < count; i++) {
      Writer writer = new Writer();
      writers.add(writer.ended);
      writer.start();
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
    return failures.getOrDefault(IndeterminateException.class.getSimpleName(), 0L);
  }

  /** The number of writes that were not acknowledged, including undecided ones. */
  public long failed() {
    return failures.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The numbers of writes that were not acknowledged, by the exception of the client. */
  public Map<String, Long> failures() {
    return Map.copyOf(failures);
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

  /** Sends one write at a time, each after the one before has ended. */
  private final class Writer {
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private byte[] key;
    private int done;

    void start() {
      continueWithNextKey();
      write();
    }

    private void continueWithNextKey() {
      long number = keys.getAndIncrement();
      // The first byte runs through all ASCII values, so that every region receives writes.
      key = ((char) (number % 128) + "-" + run + "-" + number).getBytes(StandardCharsets.UTF_8);
      done = 0;
    }

    private void write() {
      if (stopping) {
        closed.add(new Account(key, done, false));
        ended.complete(null);
        return;
      }
      byte[] next = Integer.toString(done + 1).getBytes(StandardCharsets.UTF_8);
      client.put(key, next).whenComplete((position, failure) -> completed(failure));
    }

    private void completed(Throwable failure) {
      if (failure == null) {
        acknowledged.incrementAndGet();
        done++;
        if (done == WRITES_PER_KEY) {
          closed.add(new Account(key, done, false));
          continueWithNextKey();
        }
        write();
        return;
      }
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      if (!(cause instanceof QuorateException)) {
        ended.completeExceptionally(cause);
        return;
      }
      failures.merge(cause.getClass().getSimpleName(), 1L, Long::sum);
      // Any other QuorateException means that the write had no effect.
      closed.add(new Account(key, done, cause instanceof IndeterminateException));
      continueWithNextKey();
      // Writes that fail at once would otherwise fill the memory with closed accounts.
      CompletableFuture.delayedExecutor(PAUSE_AFTER_FAILURE_MILLIS, TimeUnit.MILLISECONDS)
          .execute(this::write);
    }
  }
}
