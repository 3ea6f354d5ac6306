package io.quorate.client.internal.topology;

import io.netty.channel.EventLoop;
import io.quorate.client.DeniedException;
import io.quorate.client.IncompatibleException;
import io.quorate.client.QuorateException;
import io.quorate.client.internal.connection.AdminCall;
import io.quorate.client.internal.connection.AttemptFailure;
import io.quorate.client.internal.connection.ConnectionPool;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.client.internal.connection.Pauses;
import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.common.Sentences;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Fetches the present topology of the cluster from the first node that responds, one node at a time
 * and one search at a time. A search that fails is repeated with exponential backoff while the
 * topology is needed. Used by the event loop only.
 */
public final class TopologyRefresher implements Guarded {
  private static final Failpoint SEARCH = Failpoint.named("client.topology.search");

  /** In a message. */
  private static final int PROBLEMS_MAX = 3;

  /** The owner of the refresher. */
  public interface Host {
    /** The nodes that may have the topology, the most promising first. */
    List<ConnectionPool> candidates();

    /** Whether a search that failed is to be repeated. */
    boolean needsTopology();

    /** Adopts a topology. Returns false if it is unusable. */
    boolean update(Topology topology);

    /**
     * Called when every node belongs to another cluster or is not a compatible server, and when the
     * search has thrown something.
     */
    void rejected(QuorateException cause);
  }

  private final Host host;
  private final EventLoop loop;
  private final Pauses pauses;
  private final Duration requestTimeout;
  private boolean searching;
  private int failedRounds;

  /** Those of the addresses that were queried in this round. */
  private final List<String> problems = new ArrayList<>();

  private String problem = "no node was queried yet";
  private Optional<Throwable> cause = Optional.empty();

  /** Whether the node that was queried last does not let this client in. */
  private boolean isDenied;

  public TopologyRefresher(Host host, EventLoop loop, Pauses pauses, Duration requestTimeout) {
    this.host = host;
    this.loop = loop;
    this.pauses = pauses;
    this.requestTimeout = requestTimeout;
  }

  /** Starts a search unless one is in progress. */
  public void refresh() {
    if (!searching) {
      searching = true;
      failedRounds = 0;
      enter(this::round);
    }
  }

  /** The reason why no node has helped. */
  public AttemptFailure failure() {
    return new AttemptFailure.Lost(false, problem, cause);
  }

  /** Ends the search, and what waits for it; the next {@link #refresh} begins another one. */
  @Override
  public void thrown(Throwable thrown) {
    searching = false;
    host.rejected(Guarded.failure(thrown, false));
  }

  private void round() {
    SEARCH.passed(problem);
    problems.clear();
    query(host.candidates().iterator(), true);
  }

  /**
   * @param allRefuse whether every node that was queried in this round refuses this client for good
   */
  private void query(Iterator<ConnectionPool> candidates, boolean allRefuse) {
    if (!candidates.hasNext()) {
      failed(allRefuse);
      return;
    }
    ConnectionPool candidate = candidates.next();
    AdminCall.of(candidate, Opcode.TOPOLOGY, Topology.parser(), loop, requestTimeout)
        .whenComplete(
            (topology, failure) ->
                enter(
                    () -> {
                      if (failure == null && host.update(topology)) {
                        searching = false;
                        return;
                      }
                      Throwable reason = Failures.unwrap(failure);
                      record(reason);
                      candidate.leaveAddress("it has no topology: " + problem);
                      query(candidates, allRefuse && isRefusal(reason));
                    }));
  }

  /**
   * @param failure null if the node had no topology
   */
  private void record(Throwable failure) {
    if (failure == null) {
      problem = "the queried node has no topology of its cluster yet";
      cause = Optional.empty();
    } else {
      problem = Sentences.phrase(failure.getMessage());
      cause = Optional.ofNullable(failure.getCause());
    }
    isDenied = failure instanceof DeniedException;
    problems.add(problem);
  }

  private static boolean isRefusal(Throwable reason) {
    return reason instanceof IncompatibleException || reason instanceof DeniedException;
  }

  private void failed(boolean allRefuse) {
    if (allRefuse) {
      host.rejected(
          isDenied ? new DeniedException(problem + ".") : new IncompatibleException(problem + "."));
    }
    if (problems.size() > 1) {
      problem =
          "each of the "
              + problems.size()
              + " addresses failed: "
              + problems.stream().limit(PROBLEMS_MAX).collect(Collectors.joining("; "))
              + (problems.size() > PROBLEMS_MAX ? "; and so on" : "");
    }
    if (!host.needsTopology()) {
      searching = false;
      return;
    }
    enterAfter(loop, pauses.after(failedRounds++).toNanos(), this::round);
  }
}
