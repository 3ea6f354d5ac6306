package io.quorate.ratis.quorum;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** How many requests a node's replicas have not answered: what it tells others as its load. */
public final class RequestsInFlight {
  private final AtomicInteger count = new AtomicInteger();

  /** Counts a request until it is answered. */
  public <T> CompletionStage<T> track(CompletionStage<T> request) {
    count.incrementAndGet();
    return request.whenComplete((done, failure) -> count.decrementAndGet());
  }

  public int count() {
    return count.get();
  }
}
