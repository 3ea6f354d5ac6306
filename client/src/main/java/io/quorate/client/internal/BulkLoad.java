package io.quorate.client.internal;

import static io.quorate.client.internal.Arguments.utf8;

import io.quorate.client.BulkResult;
import io.quorate.client.BulkWriter;
import io.quorate.client.ClientClosedException;
import io.quorate.client.ClientOptions;
import io.quorate.client.IndeterminateException;
import io.quorate.client.OverloadedException;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.common.Failures;
import io.quorate.common.Nulls;
import io.quorate.model.Position;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Makes asynchronous writes, and blocks its caller while there are too many of them. */
final class BulkLoad implements BulkWriter {
  private static final int WRITES_MAX = 1024;
  private static final long AGAIN_MILLIS = 100;
  private static final long PATIENCE_NANOS = ClientOptions.DEADLINE_MAX.toNanos();

  private final AsyncClient client;
  private final BooleanSupplier clientClosed;
  private final int openMax;
  private final long openBytesMax;

  /** Held for moments only, so that the event loop may take it. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition ended = lock.newCondition();
  private int open;
  private long openBytes;
  private long succeeded;
  private long failed;
  private Optional<QuorateException> firstFailure = Optional.empty();
  private boolean isFailureReturned;
  private boolean closed;

  BulkLoad(AsyncClient client) {
    this.client = client;
    this.clientClosed = AsyncClient.caller(client).context()::wasClosed;
    ClientOptions options = client.options();
    this.openMax = Math.max(1, Math.min(WRITES_MAX, options.inFlightRequestsMax() / 2));
    this.openBytesMax = options.inFlightBytesMax() / 2;
  }

  @Override
  public void put(byte[] key, byte[] value) {
    Nulls.refuse(key, "key");
    Nulls.refuse(value, "value");
    write((long) key.length + value.length, () -> client.put(key, value));
  }

  @Override
  public void put(String key, String value) {
    put(utf8(key, "key"), utf8(value, "value"));
  }

  @Override
  public void put(String key, byte[] value) {
    put(utf8(key, "key"), value);
  }

  @Override
  public void delete(byte[] key) {
    Nulls.refuse(key, "key");
    write(key.length, () -> client.delete(key));
  }

  @Override
  public void delete(String key) {
    delete(utf8(key, "key"));
  }

  private void write(long bytes, Supplier<CompletableFuture<Position>> call) {
    requireMayBlock();
    lock.lock();
    try {
      // The writes in flight end when the client is closed, so that this one is woken.
      while (!closed && !clientClosed.getAsBoolean() && !hasRoom(bytes)) {
        ended.await();
      }
      if (closed) {
        throw new IllegalStateException("The writer is closed.");
      }
      if (clientClosed.getAsBoolean()) {
        throw new ClientClosedException("The client is closed; the write was not sent.");
      }
      open++;
      openBytes += bytes;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException(
          "The thread was interrupted while it waited for earlier writes; this one was not sent.");
    } finally {
      lock.unlock();
    }
    attempt(bytes, call, System.nanoTime());
  }

  /** A write of any size may be the only one. */
  private boolean hasRoom(long bytes) {
    return open == 0 || (open < openMax && bytes <= openBytesMax - openBytes);
  }

  private void requireMayBlock() {
    if (client.isOnLoop()) {
      throw new IllegalStateException(
          "A bulk writer was used on the client's own thread, which would wait for itself.");
    }
  }

  private void attempt(long bytes, Supplier<CompletableFuture<Position>> call, long startNanos) {
    made(call)
        .whenComplete(
            (position, failure) -> {
              Optional<QuorateException> cause =
                  Optional.ofNullable(failure).map(BulkLoad::failure);
              if (cause.filter(OverloadedException.class::isInstance).isEmpty()
                  || System.nanoTime() - startNanos >= PATIENCE_NANOS
                  || !isMadeAgain(bytes, call, startNanos, cause)) {
                ended(bytes, cause);
              }
            });
  }

  /** Does not throw: each write that was counted as open ends. */
  private static CompletableFuture<Position> made(Supplier<CompletableFuture<Position>> call) {
    try {
      return call.get();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(Guarded.failure(e, false));
    }
  }

  private static QuorateException failure(Throwable thrown) {
    return Failures.unwrap(thrown) instanceof QuorateException known
        ? known
        : Guarded.failure(thrown, true);
  }

  /**
   * @param cause why the last attempt failed, with which the write ends if the client is closed
   */
  private boolean isMadeAgain(
      long bytes,
      Supplier<CompletableFuture<Position>> call,
      long startNanos,
      Optional<QuorateException> cause) {
    try {
      client.schedule(
          () -> attempt(bytes, call, startNanos),
          TimeUnit.MILLISECONDS.toNanos(AGAIN_MILLIS),
          () -> ended(bytes, cause));
      return true;
    } catch (Throwable e) {
      // As once the client is closed. The write ends with what made it necessary to make it again.
      cause.ifPresent(known -> known.addSuppressed(e));
      return false;
    }
  }

  private void ended(long bytes, Optional<QuorateException> failure) {
    lock.lock();
    try {
      open--;
      openBytes -= bytes;
      if (failure.isPresent()) {
        failed++;
        firstFailure = firstFailure.or(() -> failure);
      } else {
        succeeded++;
      }
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public BulkResult flush() {
    requireMayBlock();
    lock.lock();
    try {
      awaitEnd();
      isFailureReturned = firstFailure.isPresent();
      return new BulkResult(succeeded, failed, firstFailure);
    } finally {
      lock.unlock();
    }
  }

  private void awaitEnd() {
    try {
      // Also those that other threads make meanwhile.
      while (open > 0) {
        ended.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IndeterminateException(
          "The thread was interrupted while it waited; "
              + open
              + " writes have not ended, and may have taken effect.");
    }
  }

  @Override
  public void close() {
    requireMayBlock();
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      ended.signalAll();
      awaitEnd();
      if (firstFailure.isPresent() && !isFailureReturned) {
        throw firstFailure.get();
      }
    } finally {
      lock.unlock();
    }
  }
}
