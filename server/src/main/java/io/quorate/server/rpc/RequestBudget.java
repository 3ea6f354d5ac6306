package io.quorate.server.rpc;

import io.quorate.server.config.RpcConfig;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Limits the requests in flight, by count and by bytes. Any thread; never blocks. */
final class RequestBudget {
  private final RpcConfig.InFlight bound;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private volatile Optional<CompletableFuture<Void>> idleFuture = Optional.empty();

  RequestBudget(RpcConfig.InFlight bound) {
    this.bound = bound;
  }

  /** Admits one request of the given size in bytes; changes nothing if it does not fit. */
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

  /** Adds bytes to an admitted request, even beyond the limit. */
  void grow(long more) {
    bytes.addAndGet(more);
  }

  /** Whether the bytes in flight are below the limit. */
  boolean hasCapacity() {
    return bytes.get() < bound.bytes();
  }

  void release(long size) {
    bytes.addAndGet(-size);
    if (requests.decrementAndGet() <= 0) {
      idleFuture.ifPresent(idle -> idle.complete(null));
    }
  }

  int requests() {
    return requests.get();
  }

  long bytes() {
    return bytes.get();
  }

  /** Completes the next time no request is in flight. For one caller at a time. */
  CompletionStage<Void> whenIdle() {
    CompletableFuture<Void> idle = new CompletableFuture<>();
    idleFuture = Optional.of(idle);
    if (requests.get() <= 0) {
      idle.complete(null);
    }
    return idle;
  }
}
