package io.quorate.common;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bound on the requests in flight, by number and by bytes. What a request is, is up to the user:
 * a call, a message, a queued command. Thread-safe; does not block.
 *
 * <p>Every acquired request is released once, with the bytes that were acquired for it. A request
 * that is denied because of its bytes counts as one request for a moment, so a concurrent one may
 * be denied although it would fit.
 */
public final class Budget {
  /** Also has what this one has; null if there is none. */
  private final Budget whole;

  private final int requestsMax;
  private final long bytesMax;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private volatile Optional<CompletableFuture<Void>> idleFuture = Optional.empty();

  /**
   * @param requestsMax the maximum number of requests in flight
   * @param bytesMax the maximum number of bytes of these requests together
   */
  public Budget(int requestsMax, long bytesMax) {
    this(null, requestsMax, bytesMax);
  }

  private Budget(Budget whole, int requestsMax, long bytesMax) {
    this.whole = whole;
    this.requestsMax = requestsMax;
    this.bytesMax = bytesMax;
  }

  /**
   * A budget for some of the requests of this one: what is acquired of it is acquired here as well.
   */
  public Budget share(int shareRequestsMax, long shareBytesMax) {
    return new Budget(this, shareRequestsMax, shareBytesMax);
  }

  /**
   * Acquires capacity for one request.
   *
   * @param size the size of the request in bytes
   * @return false, with nothing acquired, if the request would exceed a bound
   */
  public boolean tryAcquire(long size) {
    if (!tryCount()) {
      return false;
    }
    if (!tryGrowHere(size)) {
      return uncount(0);
    }
    return whole == null || whole.tryAcquire(size) || uncount(size);
  }

  /**
   * Acquires capacity for one request, which may have any size if no bytes are in flight.
   *
   * @param size the size of the request in bytes
   * @return false, with nothing acquired, if the request would exceed a bound
   */
  public boolean tryAcquireAnySizeAlone(long size) {
    if (!tryCount()) {
      return false;
    }
    if (!tryGrowHere(size) && !bytes.compareAndSet(0, size)) {
      return uncount(0);
    }
    return whole == null || whole.tryAcquireAnySizeAlone(size) || uncount(size);
  }

  /** Counts a request, unless there are as many as allowed. */
  private boolean tryCount() {
    int before = requests.get();
    while (before < requestsMax) {
      int witness = requests.compareAndExchange(before, before + 1);
      if (witness == before) {
        return true;
      }
      before = witness;
    }
    return false;
  }

  private boolean uncount(long size) {
    releaseHere(1, size);
    return false;
  }

  /**
   * Adds bytes to an acquired request.
   *
   * @return false, with nothing added, if they would exceed the bound on bytes
   */
  public boolean tryGrow(long more) {
    if (!tryGrowHere(more)) {
      return false;
    }
    if (whole != null && !whole.tryGrow(more)) {
      bytes.addAndGet(-more);
      return false;
    }
    return true;
  }

  /**
   * Adds bytes to an acquired request, which may have any size if no others are in flight.
   *
   * @param held the bytes of the request so far
   * @return false, with nothing added, if they would exceed the bound on bytes
   */
  public boolean tryGrowAnySizeAlone(long held, long more) {
    if (!tryGrowHere(more) && !bytes.compareAndSet(held, held + more)) {
      return false;
    }
    if (whole != null && !whole.tryGrowAnySizeAlone(held, more)) {
      bytes.addAndGet(-more);
      return false;
    }
    return true;
  }

  private boolean tryGrowHere(long more) {
    long before = bytes.get();
    // Not a sum, which could overflow.
    while (more <= bytesMax - before) {
      long witness = bytes.compareAndExchange(before, before + more);
      if (witness == before) {
        return true;
      }
      before = witness;
    }
    return false;
  }

  /** Adds bytes to an acquired request, even beyond the bound. */
  public void grow(long more) {
    bytes.addAndGet(more);
    if (whole != null) {
      whole.grow(more);
    }
  }

  /** Whether so many bytes more would not exceed the bound. */
  public boolean hasRoom(long more) {
    return more <= bytesMax - bytes.get() && (whole == null || whole.hasRoom(more));
  }

  /** Whether the bytes in flight are below the bound. */
  public boolean hasCapacity() {
    return bytes.get() < bytesMax && (whole == null || whole.hasCapacity());
  }

  /**
   * Releases one request.
   *
   * @param size its size in bytes, including what it has grown by
   */
  public void release(long size) {
    release(1, size);
  }

  /**
   * Releases several requests.
   *
   * @param count the number of requests
   * @param size their size in bytes together
   */
  public void release(int count, long size) {
    releaseHere(count, size);
    if (whole != null) {
      whole.release(count, size);
    }
  }

  private void releaseHere(int count, long size) {
    bytes.addAndGet(-size);
    if (requests.addAndGet(-count) <= 0) {
      idleFuture.ifPresent(idle -> idle.complete(null));
    }
  }

  /** The number of requests in flight. */
  public int requests() {
    return requests.get();
  }

  /** The bytes of the requests in flight. */
  public long bytes() {
    return bytes.get();
  }

  /** Completes the next time no request is in flight. For one caller at a time. */
  public CompletionStage<Void> whenIdle() {
    CompletableFuture<Void> idle = new CompletableFuture<>();
    idleFuture = Optional.of(idle);
    if (requests.get() <= 0) {
      idle.complete(null);
    }
    return idle;
  }
}
