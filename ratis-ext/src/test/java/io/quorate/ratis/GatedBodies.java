package io.quorate.ratis;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyStorage;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A body store whose writes can be held back. */
final class GatedBodies extends ForwardingBodies {
  private final AtomicInteger held = new AtomicInteger();
  private final Map<BodyId, Integer> puts = new ConcurrentHashMap<>();
  private volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

  GatedBodies(BodyStorage store) {
    super(store);
  }

  /** Writes that arrive until the next call wait for the returned future. */
  CompletableFuture<Void> hold() {
    CompletableFuture<Void> next = new CompletableFuture<>();
    gate = next;
    return next;
  }

  /** Writes that arrive from now on do not wait; those that wait continue to. */
  void passOthers() {
    gate = CompletableFuture.completedFuture(null);
  }

  /** The number of writes that have waited or are waiting. */
  int held() {
    return held.get();
  }

  /** How often a body was put. */
  int puts(BodyId body) {
    return puts.getOrDefault(body, 0);
  }

  @Override
  public CompletableFuture<Void> put(BodyId body, List<ByteBuffer> content) {
    puts.merge(body, 1, Integer::sum);
    CompletableFuture<Void> before = gate;
    if (!before.isDone()) {
      held.incrementAndGet();
    }
    return before.thenCompose(open -> super.put(body, content));
  }
}
