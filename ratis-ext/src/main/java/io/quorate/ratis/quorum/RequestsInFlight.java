package io.quorate.ratis.quorum;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The number of requests in flight at a node's replicas, which the node reports to others as its
 * load.
 */
public final class RequestsInFlight {
  private final AtomicInteger count = new AtomicInteger();

  /**
   * Counts a request until it completes.
   *
   * @return the same stage, because a dependent stage would wrap the exception it fails with
   */
  public <T> CompletionStage<T> track(CompletionStage<T> request) {
    count.incrementAndGet();
    request.whenComplete((done, failure) -> count.decrementAndGet());
    return request;
  }

  public int count() {
    return count.get();
  }
}
