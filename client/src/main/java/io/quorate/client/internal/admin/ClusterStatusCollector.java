package io.quorate.client.internal.admin;

import io.quorate.client.DeniedException;
import io.quorate.client.IncompatibleException;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.internal.call.ClientContext;
import io.quorate.client.internal.connection.AdminCall;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.common.DecodeException;
import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.StatusRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Predicate;

/**
 * Requests the state of every known node, and of every node that a response makes known. Used by
 * the event loop only.
 */
public final class ClusterStatusCollector implements Guarded {
  private static final Failpoint READ = Failpoint.named("client.status.read");

  /**
   * The longest chain of nodes of which each is known from the one before, in timeouts. Usually any
   * node knows all.
   */
  private static final int CHAIN_MAX = 3;

  private final ClientContext context;
  private final StatusRequest request;
  private final Duration timeout;
  private final CompletableFuture<ClusterStatus> result = new CompletableFuture<>();
  private final Map<NodeAddress, NodeReport> reports = new LinkedHashMap<>();
  private final Map<NodeAddress, NodeId> names = new HashMap<>();

  /** Whether the result need not wait for those that have not responded. */
  private Predicate<ClusterStatus> isEnough = status -> false;

  private boolean allIncompatible = true;
  private Optional<DeniedException> denied = Optional.empty();
  private int outstanding;

  private ClusterStatusCollector(ClientContext context, StatusRequest request, Duration timeout) {
    this.context = context;
    this.request = request;
    this.timeout = timeout;
  }

  /**
   * Requests what the request names of every node, and waits for each for the timeout of an
   * attempt.
   */
  public static CompletableFuture<ClusterStatus> of(ClientContext context, StatusRequest request) {
    return of(context, request, context.options().attemptTimeout());
  }

  /**
   * Requests what the request names of every node, and waits for each for this time. The result
   * fails with {@link IncompatibleException} if the nodes belong to more than one cluster, or if
   * nothing that responds is a node of the cluster, and with {@link DeniedException} if those that
   * respond do not tell this user.
   */
  public static CompletableFuture<ClusterStatus> of(
      ClientContext context, StatusRequest request, Duration timeout) {
    return start(context, request, timeout).result;
  }

  /**
   * As {@link #of}, without those that have not responded when others have, after the time that is
   * enough for most.
   *
   * @param least after which the result is complete if there is enough
   * @param most after which the result is complete in any case
   * @param isEnough whether what was reported so far is enough
   */
  public static CompletableFuture<ClusterStatus> of(
      ClientContext context,
      StatusRequest request,
      Duration least,
      Duration most,
      Predicate<ClusterStatus> isEnough) {
    ClusterStatusCollector collector = start(context, request, most);
    if (least.compareTo(most) < 0) {
      collector.enterWithin(
          least,
          () -> {
            collector.isEnough = isEnough;
            collector.completeIfEnough();
          });
    }
    return collector.result;
  }

  /** Enters a step after a delay unless the result is complete by then. */
  private void enterWithin(Duration delay, Runnable step) {
    ScheduledFuture<?> timer = enterAfter(context.loop(), delay.toNanos(), step);
    result.whenComplete((done, failure) -> timer.cancel(false));
  }

  private static ClusterStatusCollector start(
      ClientContext context, StatusRequest request, Duration timeout) {
    ClusterStatusCollector collector = new ClusterStatusCollector(context, request, timeout);
    collector.enterWithin(timeout.multipliedBy(CHAIN_MAX), collector::complete);
    collector.enter(collector::begin);
    return collector;
  }

  @Override
  public void thrown(Throwable cause) {
    result.completeExceptionally(Guarded.failure(cause, false));
  }

  private void begin() {
    List<NodeAddress> first = new ArrayList<>(context.options().seeds());
    context
        .router()
        .topology()
        .ifPresent(
            topology ->
                topology
                    .nodes()
                    .forEach(
                        (id, address) -> {
                          names.put(address, id);
                          first.add(address);
                        }));
    // Counted before the first request, so that the collector does not end between two requests.
    outstanding++;
    first.forEach(this::query);
    requestEnded();
  }

  /** Requests what the request names of one node. */
  public static CompletableFuture<NodeStatus> ofNode(
      ClientContext context, NodeAddress address, StatusRequest request, Duration timeout) {
    return AdminCall.of(
        context.pool(address),
        Opcode.STATUS,
        request,
        NodeStatus.parser(),
        context.loop(),
        timeout);
  }

  private void query(NodeAddress address) {
    NodeReport noResponse =
        new NodeReport(
            Optional.empty(), address, Optional.empty(), Optional.of("It did not respond."));
    if (reports.putIfAbsent(address, noResponse) != null) {
      return;
    }
    outstanding++;
    ofNode(context, address, request, timeout)
        .whenComplete((status, failure) -> enter(() -> ended(address, status, failure)));
  }

  /**
   * @param failure null if the node has responded
   */
  private void ended(NodeAddress address, NodeStatus status, Throwable failure) {
    READ.passed(address);
    if (failure == null) {
      responded(address, status);
    } else {
      allIncompatible &= Failures.unwrap(failure) instanceof IncompatibleException;
      if (Failures.unwrap(failure) instanceof DeniedException refusal) {
        denied = Optional.of(refusal);
      }
      reports.put(address, failed(address, failure));
    }
    requestEnded();
  }

  private static NodeReport failed(NodeAddress address, Throwable cause) {
    return new NodeReport(
        Optional.empty(), address, Optional.empty(), Optional.of(cause.getMessage()));
  }

  private void responded(NodeAddress address, NodeStatus status) {
    NodeState state;
    try {
      state = StatusReader.node(status);
    } catch (DecodeException e) {
      allIncompatible = false;
      reports.put(address, failed(address, e));
      return;
    }
    reports.put(
        address,
        new NodeReport(Optional.of(state.id()), address, Optional.of(state), Optional.empty()));
    for (Node node : status.getTopology().getNodesList()) {
      NodeAddress found;
      try {
        found = new NodeAddress(node.getHost(), node.getClientPort());
        names.put(found, new NodeId(node.getId()));
      } catch (IllegalArgumentException e) {
        continue; // No request can be sent to a node without an address or a name.
      }
      query(found);
    }
  }

  private void requestEnded() {
    if (--outstanding == 0) {
      complete();
    } else {
      completeIfEnough();
    }
  }

  private void completeIfEnough() {
    if (!result.isDone() && isEnough.test(new ClusterStatus(distinct()))) {
      complete();
    }
  }

  private void complete() {
    List<NodeReport> up = reports.values().stream().filter(NodeReport::isUp).toList();
    Optional<NodeReport> foreign =
        up.stream().filter(node -> !clusterId(node).equals(clusterId(up.get(0)))).findFirst();
    if (foreign.isPresent()) {
      result.completeExceptionally(
          new IncompatibleException(
              "The addresses are those of two clusters: "
                  + describe(up.get(0))
                  + ", and "
                  + describe(foreign.get())
                  + "."));
    } else if (up.isEmpty() && denied.isPresent()) {
      result.completeExceptionally(denied.get());
    } else if (up.isEmpty() && allIncompatible) {
      result.completeExceptionally(
          new IncompatibleException(reports.values().iterator().next().problem().orElseThrow()));
    } else {
      result.complete(new ClusterStatus(distinct()));
    }
  }

  private static String clusterId(NodeReport node) {
    return node.state().orElseThrow().clusterId();
  }

  private static String describe(NodeReport node) {
    return "the node at " + node.address() + " belongs to cluster \"" + clusterId(node) + "\"";
  }

  /** Returns one report for each node: a node may have been queried at two addresses. */
  private List<NodeReport> distinct() {
    Map<String, NodeReport> byName = new HashMap<>();
    for (NodeReport report : reports.values()) {
      Optional<NodeId> id = report.id().or(() -> Optional.ofNullable(names.get(report.address())));
      NodeReport named = new NodeReport(id, report.address(), report.state(), report.problem());
      byName.merge(named.name(), named, (a, b) -> a.isUp() ? a : b);
    }
    return byName.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
        .map(Map.Entry::getValue)
        .toList();
  }
}
