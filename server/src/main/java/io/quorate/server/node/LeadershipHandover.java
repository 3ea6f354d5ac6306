package io.quorate.server.node;

import io.quorate.common.Failures;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transfers this node's leaderships, while it does not accept writes, to nodes that do: a region
 * whose leader refuses writes takes none, although others could. That is so while the disk is
 * nearly full, and if this node is elected before it serves. A leadership stays where no other
 * member accepts writes. A node that stops transfers its leaderships otherwise ({@link
 * LeadershipDrain}), and one that founds its cluster none, since no client is served yet.
 *
 * <p>Run many times a second, by one thread. Uses neither the disk nor a thread that waits for it.
 */
final class LeadershipHandover implements Runnable {
  static final Duration INTERVAL = Duration.ofMillis(100);

  private static final Logger LOG = LoggerFactory.getLogger(LeadershipHandover.class);
  private static final Duration TRANSFER_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);

  /**
   * The transfers of a region so far.
   *
   * @param failed the members to which a transfer has failed since one succeeded
   * @param isUnderWay whether one is in progress
   * @param freeNanos when the next one may begin
   */
  private record State(Set<NodeId> failed, boolean isUnderWay, long freeNanos) {}

  private final ClusterTopology topology;
  private final ServingState servingState;
  private final BooleanSupplier isFounding;
  private final Supplier<Set<NodeId>> writable;
  private final LongSupplier nanoClock;
  private final Map<GroupId, State> states = new ConcurrentHashMap<>();

  /**
   * @param isFounding whether the node takes part in the first start of its cluster, as long as it
   *     does not serve
   * @param writable the nodes that accept writes; must not block
   * @param nanoClock as {@link System#nanoTime}
   */
  LeadershipHandover(
      ClusterTopology topology,
      ServingState servingState,
      BooleanSupplier isFounding,
      Supplier<Set<NodeId>> writable,
      LongSupplier nanoClock) {
    this.topology = topology;
    this.servingState = servingState;
    this.isFounding = isFounding;
    this.writable = writable;
    this.nanoClock = nanoClock;
  }

  @Override
  public void run() {
    Optional<String> refusal = servingState.writeRefusal();
    if (refusal.isEmpty() || !mayTransfer()) {
      states.clear();
      return;
    }
    Set<GroupId> hosted = new HashSet<>();
    topology.hosted().forEach(region -> hosted.add(region.assignment().id()));
    states.keySet().retainAll(hosted);
    Map<NodeId, Integer> received = new HashMap<>();
    for (LocalReplica region : topology.hosted()) {
      if (isDue(region)) {
        target(region, received).ifPresent(target -> transfer(region, target, refusal.get()));
      }
    }
  }

  private boolean mayTransfer() {
    return switch (servingState.phase()) {
      case STARTING -> !isFounding.getAsBoolean();
      case SERVING -> true;
      case STOPPING -> false;
    };
  }

  private boolean isDue(LocalReplica region) {
    State state = states.get(region.assignment().id());
    boolean isFree =
        state == null || !state.isUnderWay() && nanoClock.getAsLong() - state.freeNanos() >= 0;
    return isFree && region.group().view().leader().equals(Optional.of(topology.self()));
  }

  /** The member that accepts writes, has not failed, and has received the fewest in this run. */
  private Optional<NodeId> target(LocalReplica region, Map<NodeId, Integer> received) {
    Set<NodeId> accepting = writable.get();
    GroupStatus view = region.group().view();
    List<NodeId> members =
        view.members().stream()
            .map(Member::node)
            .filter(node -> !node.equals(topology.self()) && accepting.contains(node))
            .toList();
    State state = states.get(region.assignment().id());
    Set<NodeId> failed = state == null ? Set.of() : state.failed();
    boolean haveAllFailed = failed.containsAll(members);
    Optional<NodeId> target =
        members.stream()
            .filter(node -> haveAllFailed || !failed.contains(node))
            .min(
                Comparator.comparing((NodeId node) -> received.getOrDefault(node, 0))
                    .thenComparing(NodeId::value));
    target.ifPresent(node -> received.merge(node, 1, Integer::sum));
    return target;
  }

  private void transfer(LocalReplica region, NodeId target, String refusal) {
    Optional<Leadership> leadership = region.group().control(Leadership.class);
    if (leadership.isEmpty()) {
      return;
    }
    GroupId id = region.assignment().id();
    Set<NodeId> failed = new HashSet<>();
    State before = states.get(id);
    if (before != null && !before.failed().contains(target)) {
      failed.addAll(before.failed());
    }
    states.put(id, new State(failed, true, 0));
    leadership
        .get()
        .transferTo(target, TRANSFER_TIMEOUT)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                states.remove(id);
              } else {
                failed.add(target);
                states.put(
                    id,
                    new State(
                        Set.copyOf(failed),
                        false,
                        nanoClock.getAsLong() + PAUSE_AFTER_FAILURE.toNanos()));
              }
              LOG.atInfo()
                  .addKeyValue("region", id)
                  .addKeyValue("target", target)
                  .addKeyValue("reason", refusal)
                  .addKeyValue(
                      "outcome", failure == null ? "done" : Failures.unwrap(failure).getMessage())
                  .log("Transferring leadership, because this node does not accept writes");
            });
  }
}
