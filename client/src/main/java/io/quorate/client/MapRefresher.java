package io.quorate.client;

import io.netty.channel.EventLoop;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.Failures;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Gets the present map of the cluster from whichever node answers first, one node at a time and one
 * search at a time. Goes on with growing pauses for as long as somebody needs the map. Lives on the
 * event loop.
 */
final class MapRefresher {

  /** What the refresher works for. */
  interface Host {
    /** Ways to nodes that may know the map, the most promising first. */
    List<NodeLink> candidates();

    /** Whether a search that found nothing is worth repeating. */
    boolean needsMap();

    /** Takes a map; false if it is of no use. */
    boolean learn(Topology topology);

    /** Nobody is what this client looks for. */
    void refused(QuorateException why);
  }

  private final Host host;
  private final EventLoop loop;
  private final CallPolicy policy;
  private final Duration askTimeout;
  private boolean searching;
  private int failedRounds;
  private String problem = "no node was asked yet";

  MapRefresher(Host host, EventLoop loop, CallPolicy policy, Duration askTimeout) {
    this.host = host;
    this.loop = loop;
    this.policy = policy;
    this.askTimeout = askTimeout;
  }

  /** Starts a search unless there is one. */
  void refresh() {
    if (!searching) {
      searching = true;
      failedRounds = 0;
      round();
    }
  }

  /** Why the last node that was asked was of no use; one sentence without its full stop. */
  String problem() {
    return problem;
  }

  private void round() {
    ask(host.candidates().iterator(), true);
  }

  /**
   * @param noneFits whether every node that was asked in this round belongs to something else
   */
  private void ask(Iterator<NodeLink> candidates, boolean noneFits) {
    if (!candidates.hasNext()) {
      failed(noneFits);
      return;
    }
    Ask.of(candidates.next(), Opcode.TOPOLOGY, Topology.parser(), loop, askTimeout)
        .whenComplete(
            (topology, failure) -> {
              if (failure == null && host.learn(topology)) {
                searching = false;
                return;
              }
              Throwable why = Failures.unwrap(failure);
              problem =
                  why == null
                      ? "the node asked does not know the map of its cluster yet"
                      : withoutStop(why.getMessage());
              ask(candidates, noneFits && why instanceof IncompatibleException);
            });
  }

  private void failed(boolean noneFits) {
    if (noneFits) {
      host.refused(new IncompatibleException(problem + "."));
    }
    if (!host.needsMap()) {
      searching = false;
      return;
    }
    loop.schedule(this::round, policy.backoff(failedRounds++).toNanos(), TimeUnit.NANOSECONDS);
  }

  private static String withoutStop(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }
}
