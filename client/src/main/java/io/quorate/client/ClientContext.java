package io.quorate.client;

import io.netty.channel.EventLoop;
import io.quorate.client.wire.FoundingId;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Hello;
import io.quorate.client.wire.v1.Topology;
import io.quorate.client.wire.v1.Welcome;
import io.quorate.common.DecodeException;
import io.quorate.connect.AddressRace;
import io.quorate.consensus.NodeId;
import io.quorate.operation.ClientId;
import io.quorate.quorum.ReadBalancer;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state that all calls of one client share: the event loop, the connection pools, the topology,
 * flow control, and the sequence numbers of writes. Everything but {@link #submit}, {@link
 * #onLoop}, {@link #isOnLoop} and {@link #close} is used by the event loop only.
 */
final class ClientContext implements ConnectionPool.Listener, TopologyRefresher.Host {
  private static final Logger LOG = LoggerFactory.getLogger(ClientContext.class);

  private final ClientOptions options;
  private final ClientNetwork network;
  private final EventLoop loop;
  private final RetryPolicy policy;
  private final Router router;
  private final FlowController admission;
  private final KnownFounding founding = new KnownFounding();
  private SessionSequencer writes = new SessionSequencer(ClientId.random());
  private final TopologyRefresher refresher;
  private final SeedCheck seeds;
  private final HedgeDelay hedgeDelay = new HedgeDelay();
  private final Map<NodeAddress, ConnectionPool> pools = new LinkedHashMap<>();
  private final Set<RegionCall<?>> calls = new LinkedHashSet<>();
  private final Set<TopologyWaiter> topologyWaiters = new LinkedHashSet<>();
  private Optional<ReadBalancer.Policy> readBalancerPolicy = Optional.empty();
  private Optional<ReadBalancer> readBalancer = Optional.empty();
  private boolean closed;

  /**
   * @param names looks up the hosts of nodes, on a thread of its own
   */
  ClientContext(ClientOptions options, AddressRace.Lookup names) {
    this.options = options;
    network = new ClientNetwork(options, names);
    loop = network.loop();
    policy =
        new RetryPolicy(
            options.backoffMin(),
            options.backoffMax(),
            options.attemptTimeout(),
            () -> ThreadLocalRandom.current().nextDouble());
    router =
        new Router(options.nearestNode(), ThreadLocalRandom.current().nextInt(), System::nanoTime);
    admission =
        new FlowController(
            options.inFlightRequestsMax(),
            options.inFlightBytesMax(),
            options.waitingRequestsMax(),
            options.waitingBytesMax());
    refresher = new TopologyRefresher(this, loop, policy, options.attemptTimeout());
    seeds = new SeedCheck(this);
  }

  /** Starts a call. May be called by any thread. Never throws; does not block. */
  <T> CompletableFuture<T> submit(RegionRequest<T> request, Duration deadline) {
    if (request.costBytes() > options.inFlightBytesMax()) {
      return rejected(
          request,
          new InvalidRequestException(
              "The client has at most "
                  + options.inFlightBytesMax()
                  + " bytes in flight, and the request needs "
                  + request.costBytes()
                  + "."));
    }
    if (!admission.tryEnter(request.costBytes())) {
      return rejected(request, new OverloadedException(waitingBound()));
    }
    CompletableFuture<T> future = new CompletableFuture<>();
    RegionCall<T> call = new RegionCall<>(this, request, future, deadline);
    try {
      loop.execute(
          () -> {
            if (closed) {
              admission.exit(request.costBytes());
              rejected(request, isClosed())
                  .whenComplete((none, cause) -> future.completeExceptionally(cause));
              return;
            }
            calls.add(call);
            call.start();
          });
    } catch (RejectedExecutionException e) {
      return rejected(request, isClosed());
    }
    return future;
  }

  private <T> CompletableFuture<T> rejected(RegionRequest<T> request, QuorateException cause) {
    options
        .listener()
        .ifPresent(
            listener ->
                report(
                    listener,
                    new CallReport(request.kind(), Duration.ZERO, 0, Optional.of(cause))));
    return CompletableFuture.failedFuture(cause);
  }

  private static ClientClosedException isClosed() {
    return new ClientClosedException("The client is closed.");
  }

  private static void report(CallListener listener, CallReport ended) {
    try {
      listener.ended(ended);
    } catch (RuntimeException e) {
      LOG.atWarn().setCause(e).log("The call listener of this client failed");
    }
  }

  /** Runs a task on the event loop and returns its result. May be called by any thread. */
  <T> CompletableFuture<T> onLoop(Function<ClientContext, CompletableFuture<T>> task) {
    CompletableFuture<T> future = new CompletableFuture<>();
    try {
      loop.execute(
          () -> {
            if (closed) {
              future.completeExceptionally(isClosed());
              return;
            }
            task.apply(this)
                .whenComplete(
                    (value, failure) -> {
                      if (failure == null) {
                        future.complete(value);
                      } else {
                        future.completeExceptionally(failure);
                      }
                    });
          });
    } catch (RejectedExecutionException e) {
      future.completeExceptionally(isClosed());
    }
    return future;
  }

  boolean isOnLoop() {
    return loop.inEventLoop();
  }

  /**
   * Ends every call and the sessions of the client, and closes every connection. Blocks until that
   * is done, except on the event loop.
   */
  void close() {
    try {
      loop.execute(this::closeOnLoop);
    } catch (RejectedExecutionException e) {
      return; // Closed before.
    }
    if (!isOnLoop()) {
      network.awaitEnd();
    }
  }

  private void closeOnLoop() {
    if (closed) {
      return;
    }
    closed = true;
    List.copyOf(calls).forEach(RegionCall::clientClosed);
    ClientClosedException cause = new ClientClosedException("The client was closed.");
    List.copyOf(topologyWaiters).forEach(waiter -> waiter.topologyRejected(cause));
    topologyWaiters.clear();
    try {
      SessionEnd.begin(this, this::shutDown);
    } catch (RuntimeException e) {
      LOG.atWarn().setCause(e).log("The sessions of this client were not ended");
      shutDown();
    }
  }

  private void shutDown() {
    pools.values().forEach(pool -> pool.close("the client was closed"));
    network.shutDown();
  }

  ClientOptions options() {
    return options;
  }

  EventLoop loop() {
    return loop;
  }

  RetryPolicy policy() {
    return policy;
  }

  Router router() {
    return router;
  }

  FlowController admission() {
    return admission;
  }

  HedgeDelay hedgeDelay() {
    return hedgeDelay;
  }

  /**
   * Divides quorum reads between the leader and the other replicas; empty if they are not divided.
   */
  Optional<ReadBalancer> readBalancer() {
    return readBalancer;
  }

  SessionSequencer writes() {
    return writes;
  }

  String inFlightBound(Duration deadline) {
    return "The client has at most "
        + options.inFlightRequestsMax()
        + " requests and "
        + options.inFlightBytesMax()
        + " bytes in flight, and this one was not admitted within "
        + Durations.text(deadline)
        + ".";
  }

  private String waitingBound() {
    return "The client keeps at most "
        + options.waitingRequestsMax()
        + " requests and "
        + options.waitingBytesMax()
        + " bytes waiting for admission.";
  }

  void ended(RegionCall<?> call, Optional<QuorateException> failure) {
    calls.remove(call);
    topologyWaiters.remove(call);
    options.listener().ifPresent(listener -> report(listener, call.report(failure)));
  }

  void awaitTopology(TopologyWaiter waiter) {
    topologyWaiters.add(waiter);
    refresher.refresh();
  }

  void refreshTopology() {
    refresher.refresh();
  }

  String topologyProblem() {
    return refresher.problem();
  }

  void stopAwaitingTopology(TopologyWaiter waiter) {
    topologyWaiters.remove(waiter);
  }

  boolean isReachable(NodeId node) {
    return pool(node).isUsable();
  }

  boolean isConnected(NodeId node) {
    return pool(node).isConnected();
  }

  /** The connection pool of a node in the topology. */
  ConnectionPool pool(NodeId node) {
    ConnectionPool pool = pool(router.topology().orElseThrow().nodes().get(node));
    pool.expect(node);
    return pool;
  }

  ConnectionPool pool(NodeAddress address) {
    return pools.computeIfAbsent(
        address,
        absent ->
            new ConnectionPool(
                absent, options.connectionsPerNode(), policy, this::connect, this, loop));
  }

  private Connection connect(NodeAddress address, Connection.Owner owner) {
    String clusterId =
        router.topology().map(TopologySnapshot::clusterId).or(options::clusterId).orElse("");
    Hello hello =
        Hello.newBuilder().setClusterId(clusterId).setClientName(options.clientName()).build();
    return network.connect(address, hello, owner);
  }

  /**
   * Updates leaders, topology and suspected nodes from the failure of an attempt.
   *
   * @param target the node to which the attempt was made
   */
  void recordFailure(AttemptFailure failure, RegionDescriptor region, NodeId target) {
    boolean isUnreachable =
        switch (failure.kind()) {
          case LOST, TIMED_OUT, INCONCLUSIVE, INCOMPATIBLE -> true;
          case ERROR_RESPONSE, TOO_LARGE -> false;
        };
    if (isUnreachable) {
      router.unreachable(target);
    } else if (failure instanceof AttemptFailure.ErrorResponse error) {
      if (error.status() == Status.NOT_LEADER) {
        router.notLeader(region.id(), target, RetryPolicy.leader(error.failure()));
      } else if (error.status() == Status.STALE_EPOCH && error.failure().hasTopology()) {
        update(error.failure().getTopology());
      } else if (error.status() == Status.UNAVAILABLE) {
        router.suspect(target);
      }
    }
  }

  @Override
  public Optional<String> refusal(NodeAddress address, Welcome welcome) {
    Topology topology = welcome.getTopology();
    return founding.refusal(
        "node " + welcome.getNodeId() + " at " + address,
        FoundingId.of(topology),
        options.seeds().contains(address) && decoded(topology).isPresent(),
        former -> pools.values().stream().anyMatch(pool -> pool.isConnectedTo(former)));
  }

  @Override
  public void handshakeCompleted(Welcome welcome) {
    FoundingId.of(welcome.getTopology()).filter(founding::isOther).ifPresent(this::foundedAnew);
    update(welcome.getTopology());
  }

  /** Begins with another cluster under the same name, since the former one is gone. */
  private void foundedAnew(UUID present) {
    LOG.atWarn()
        .addKeyValue("former", founding.known().orElseThrow())
        .addKeyValue("present", present)
        .log("The cluster was founded anew; this client follows it");
    founding.use(present);
    router.reset();
    // The sessions and positions of the former cluster mean nothing to this one.
    writes = new SessionSequencer(ClientId.random());
    List.copyOf(calls).forEach(RegionCall::foundedAnew);
  }

  /** Uses nodes of this founding alone from now on. */
  void pin(UUID own) {
    founding.pin(own);
    if (router.topology().filter(present -> !present.founding().equals(own)).isPresent()) {
      router.reset();
    }
    closeOthers(own);
  }

  /** Why a node of another founding was refused last, as a phrase. */
  Optional<String> foundingRefusal() {
    return founding.lastRefusal();
  }

  private void closeOthers(UUID used) {
    String reason = "the node belongs to another cluster of the same name";
    pools.values().forEach(pool -> pool.closeOthers(used, reason));
  }

  @Override
  public void lost(NodeAddress address) {
    LOG.debug("Lost the connection to {}", address);
    // A client that is not used loses nothing, and would only connect again for the search.
    if (needsTopology()) {
      refresher.refresh();
    }
  }

  @Override
  public List<ConnectionPool> candidates() {
    return candidates(addresses());
  }

  /** The addresses at which a node may be, those in the topology first. */
  private Set<NodeAddress> addresses() {
    Set<NodeAddress> addresses = new LinkedHashSet<>();
    router.topology().ifPresent(topology -> addresses.addAll(topology.nodes().values()));
    addresses.addAll(options.seeds());
    return addresses;
  }

  /** The pools of some nodes, the most promising first. */
  List<ConnectionPool> candidates(Collection<NodeAddress> addresses) {
    // A stable sort: pools with a connection first, pools in a backoff pause last.
    return addresses.stream()
        .map(this::pool)
        .sorted(
            Comparator.comparing(ConnectionPool::isConnected)
                .thenComparing(ConnectionPool::isUsable)
                .reversed())
        .toList();
  }

  @Override
  public boolean needsTopology() {
    return !closed && (!calls.isEmpty() || !topologyWaiters.isEmpty());
  }

  @Override
  public boolean update(Topology topology) {
    Optional<TopologySnapshot> decoded = decoded(topology);
    if (decoded.isEmpty() || founding.isOther(decoded.get().founding())) {
      return false;
    }
    TopologySnapshot received = decoded.get();
    boolean isOtherCluster =
        router
            .topology()
            .map(present -> !present.clusterId().equals(received.clusterId()))
            .orElse(false);
    if (isOtherCluster) {
      return false;
    }
    if (!seeds.admits(topology, received)) {
      return true;
    }
    if (founding.known().isEmpty()) {
      founding.use(received.founding());
      closeOthers(received.founding());
    }
    List<RegionDescriptor> former =
        router.topology().map(TopologySnapshot::regions).orElse(List.of());
    router.update(received);
    writes.regionsChanged(former, router.topology().orElseThrow().regions());
    Optional<ReadBalancer.Policy> policy =
        router.topology().flatMap(present -> present.reads().mix());
    if (!policy.equals(readBalancerPolicy)) {
      readBalancerPolicy = policy;
      readBalancer =
          policy.map(mix -> new ReadBalancer(mix, () -> ThreadLocalRandom.current().nextDouble()));
    }
    closeObsoletePools();
    List<TopologyWaiter> waiters = List.copyOf(topologyWaiters);
    topologyWaiters.clear();
    waiters.forEach(TopologyWaiter::topologyLearned);
    return true;
  }

  /** Empty if it is not usable, as that of a node which has not joined its cluster. */
  private static Optional<TopologySnapshot> decoded(Topology topology) {
    try {
      return Optional.of(TopologySnapshot.of(topology));
    } catch (DecodeException e) {
      LOG.debug("Ignored a topology: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /** Those of addresses at which no node is any more; one that is in use at a later update. */
  private void closeObsoletePools() {
    Set<NodeAddress> obsolete = new LinkedHashSet<>(pools.keySet());
    obsolete.removeAll(addresses());
    obsolete.removeIf(address -> pools.get(address).isUsed());
    for (NodeAddress address : obsolete) {
      pools.remove(address).close("no node of the cluster is at " + address + " any more");
    }
  }

  @Override
  public void rejected(QuorateException cause) {
    List<TopologyWaiter> waiters = List.copyOf(topologyWaiters);
    topologyWaiters.clear();
    waiters.forEach(waiter -> waiter.topologyRejected(cause));
  }
}
