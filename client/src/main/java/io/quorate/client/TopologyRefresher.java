package io.quorate.client;

import io.netty.channel.EventLoop;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.Topology;
import io.quorate.common.Failures;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Fetches the present topology of the cluster from the first node that responds, one node at a time
 * and one search at a time. A search that fails is repeated with exponential backoff while the
 * topology is needed. Used by the event loop only.
 */
final class TopologyRefresher {

  /** The owner of the refresher. */
  interface Host {
    /** The nodes that may have the topology, the most promising first. */
    List<ConnectionPool> candidates();

    /** Whether a search that failed is to be repeated. */
    boolean needsTopology();

    /** Adopts a topology. Returns false if it is unusable. */
    boolean update(Topology topology);

    /** Called when every node belongs to another cluster or is not a compatible server. */
    void rejected(QuorateException cause);
  }

  private final Host host;
  private final EventLoop loop;
  private final RetryPolicy policy;
  private final Duration requestTimeout;
  private boolean searching;
  private int failedRounds;
  private String problem = "no node was queried yet";

  TopologyRefresher(Host host, EventLoop loop, RetryPolicy policy, Duration requestTimeout) {
    this.host = host;
    this.loop = loop;
    this.policy = policy;
    this.requestTimeout = requestTimeout;
  }

  /** Starts a search unless one is in progress. */
  void refresh() {
    if (!searching) {
      searching = true;
      failedRounds = 0;
      round();
    }
  }

  /** The reason why the last queried node did not help; one sentence without its full stop. */
  String problem() {
    return problem;
  }

  private void round() {
    query(host.candidates().iterator(), true);
  }

  /**
   * @param allIncompatible whether every node that was queried in this round is incompatible
   */
  private void query(Iterator<ConnectionPool> candidates, boolean allIncompatible) {
    if (!candidates.hasNext()) {
      failed(allIncompatible);
      return;
    }
    ConnectionPool candidate = candidates.next();
    AdminCall.of(candidate, Opcode.TOPOLOGY, Topology.parser(), loop, requestTimeout)
        .whenComplete(
            (topology, failure) -> {
              if (failure == null && host.update(topology)) {
                searching = false;
                return;
              }
              Throwable cause = Failures.unwrap(failure);
              problem =
                  cause == null
                      ? "the queried node has no topology of its cluster yet"
                      : withoutStop(cause.getMessage());
              candidate.leaveAddress("it has no topology: " + problem);
              query(candidates, allIncompatible && cause instanceof IncompatibleException);
            });
  }

  private void failed(boolean allIncompatible) {
    if (allIncompatible) {
      host.rejected(new IncompatibleException(problem + "."));
    }
    if (!host.needsTopology()) {
      searching = false;
      return;
    }
    loop.schedule(this::round, policy.backoff(failedRounds++).toNanos(), TimeUnit.NANOSECONDS);
  }

  private static String withoutStop(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }
}
