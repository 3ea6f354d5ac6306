package io.quorate.server.door;

import io.quorate.server.config.DoorConfig;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is in flight, by count and by bytes, and how much may be. Any thread; never blocks. */
final class InFlightBudget {
  private final DoorConfig.InFlight bound;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private volatile Optional<CompletableFuture<Void>> waiting = Optional.empty();

  InFlightBudget(DoorConfig.InFlight bound) {
    this.bound = bound;
  }

  /** Takes in one request of so many bytes; changes nothing if it does not fit. */
  boolean tryAdmit(long size) {
    if (requests.incrementAndGet() > bound.requests()) {
      requests.decrementAndGet();
      return false;
    }
    if (bytes.addAndGet(size) > bound.bytes()) {
      release(size);
      return false;
    }
    return true;
  }

  /** Adds bytes to a request that is in, beyond the bound if need be. */
  void grow(long more) {
    bytes.addAndGet(more);
  }

  /** Whether there is room for more bytes. */
  boolean hasRoom() {
    return bytes.get() < bound.bytes();
  }

  void release(long size) {
    bytes.addAndGet(-size);
    if (requests.decrementAndGet() <= 0) {
      waiting.ifPresent(idle -> idle.complete(null));
    }
  }

  int requests() {
    return requests.get();
  }

  long bytes() {
    return bytes.get();
  }

  /** Completes the next time nothing is in flight. For one caller at a time. */
  CompletionStage<Void> whenIdle() {
    CompletableFuture<Void> idle = new CompletableFuture<>();
    waiting = Optional.of(idle);
    if (requests.get() <= 0) {
      idle.complete(null);
    }
    return idle;
  }
}
