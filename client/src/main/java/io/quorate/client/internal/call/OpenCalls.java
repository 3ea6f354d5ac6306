package io.quorate.client.internal.call;

import io.quorate.client.QuorateException;
import io.quorate.client.internal.topology.TopologyWaiter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The calls of a client that have not ended, and what waits for the topology, such as some of them.
 * What one of them throws ends that one alone. Used by the event loop only.
 */
final class OpenCalls {
  private final Set<RegionCall<?>> calls = new LinkedHashSet<>();
  private final Set<TopologyWaiter> waiters = new LinkedHashSet<>();

  void begun(RegionCall<?> call) {
    calls.add(call);
  }

  void ended(RegionCall<?> call) {
    calls.remove(call);
    waiters.remove(call);
  }

  void await(TopologyWaiter waiter) {
    waiters.add(waiter);
  }

  void stopAwaiting(TopologyWaiter waiter) {
    waiters.remove(waiter);
  }

  boolean isEmpty() {
    return calls.isEmpty() && waiters.isEmpty();
  }

  void topologyLearned() {
    for (TopologyWaiter waiter : noLongerWaiting()) {
      waiter.enter(waiter::topologyLearned);
    }
  }

  void topologyRejected(QuorateException cause) {
    for (TopologyWaiter waiter : noLongerWaiting()) {
      waiter.enter(() -> waiter.topologyRejected(cause));
    }
  }

  private List<TopologyWaiter> noLongerWaiting() {
    List<TopologyWaiter> all = List.copyOf(waiters);
    waiters.clear();
    return all;
  }

  void foundedAnew() {
    for (RegionCall<?> call : List.copyOf(calls)) {
      call.enter(call::foundedAnew);
    }
  }

  /** Ends everything because the client is being closed. */
  void close(QuorateException cause) {
    for (RegionCall<?> call : List.copyOf(calls)) {
      call.enter(call::clientClosed);
    }
    topologyRejected(cause);
  }
}
