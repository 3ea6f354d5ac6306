package io.quorate.ratis.quorum;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** How many requests a node's replicas have not answered: what it tells others as its load. */
public final class RequestsInFlight {
  private final AtomicInteger count = new AtomicInteger();

  /** Counts a request until it is answered. Returns it, so that it fails as it would. */
  public <T> CompletionStage<T> track(CompletionStage<T> request) {
    count.incrementAndGet();
    request.whenComplete((done, failure) -> count.decrementAndGet());
    return request;
  }

  public int count() {
    return count.get();
  }
}
