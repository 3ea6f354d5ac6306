package io.quorate.client.internal.call;

import io.netty.channel.EventLoop;
import io.quorate.client.ClientClosedException;
import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateException;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.connection.AttemptFailure;
import io.quorate.client.internal.connection.ClientNetwork;
import io.quorate.client.internal.connection.Connection;
import io.quorate.client.internal.connection.ConnectionPool;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.client.internal.connection.KnownFounding;
import io.quorate.client.internal.connection.Pauses;
import io.quorate.client.internal.order.KeyOrder;
import io.quorate.client.internal.topology.Router;
import io.quorate.client.internal.topology.TopologyRefresher;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.client.internal.topology.TopologyWaiter;
import io.quorate.common.DecodeException;
import io.quorate.common.Failpoint;
import io.quorate.model.NodeId;
import io.quorate.protocol.connect.AddressRace;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.wire.FoundingId;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Hello;
import io.quorate.protocol.wire.v1.Topology;
import io.quorate.protocol.wire.v1.Welcome;
import io.quorate.quorum.ReadBalancer;
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
 * flow control, and the sequence numbers of writes. Everything but {@link #applicationCalls},
 * {@link #onLoop}, {@link #isOnLoop}, {@link #wasClosed} and {@link #close} is used by the event
 * loop only.
 */
public final class ClientContext implements ConnectionPool.Listener, TopologyRefresher.Host {
  private static final Logger LOG = LoggerFactory.getLogger(ClientContext.class);
  private static final Failpoint UPDATE = Failpoint.named("client.topology.update");

  private final ClientOptions options;
  private final ClientNetwork network;
  private final EventLoop loop;
  private final Pauses pauses;
  private final RetryPolicy policy;
  private final Router router;
  private final FlowController admission;
  private final FlowBounds bounds;
  private final KnownFounding founding = new KnownFounding();
  private SessionSequencer writes = new SessionSequencer(ClientId.random());
  private final TopologyRefresher refresher;
  private final SeedCheck seeds;
  private final HedgeDelay hedgeDelay = new HedgeDelay();
  private final Map<NodeAddress, ConnectionPool> pools = new LinkedHashMap<>();
  private final OpenCalls calls = new OpenCalls();
  private final HeldWrites held = new HeldWrites(this);
  private final KeyOrder order;
  private final ApplicationCalls applicationCalls;
  private Optional<ReadBalancer.Policy> readBalancerPolicy = Optional.empty();
  private Optional<ReadBalancer> readBalancer = Optional.empty();
  private volatile boolean closed;

  /**
   * @param names looks up the hosts of nodes, on a thread of its own
   */
  public ClientContext(ClientOptions options, AddressRace.Lookup names) {
    this.options = options;
    bounds = new FlowBounds(options);
    network = new ClientNetwork(options, names);
    loop = network.loop();
    order = new KeyOrder(loop);
    applicationCalls = new ApplicationCalls(options.listeners(), options.executor(), loop);
    pauses =
        new Pauses(
            options.backoffMin(),
            options.backoffMax(),
            () -> ThreadLocalRandom.current().nextDouble());
    policy = new RetryPolicy(pauses, options.attemptTimeout());
    router =
        new Router(options.nearestNode(), ThreadLocalRandom.current().nextInt(), System::nanoTime);
    admission = FlowController.of(options);
    refresher = new TopologyRefresher(this, loop, pauses, options.attemptTimeout());
    seeds = new SeedCheck(this);
  }

  /** What an application sees of its calls. Any thread. */
  public ApplicationCalls applicationCalls() {
    return applicationCalls;
  }

  static ClientClosedException isClosed() {
    return new ClientClosedException("The client is closed.");
  }

  /**
   * Runs a task on the event loop and returns its result. May be called by any thread.
   *
   * @param task returns a future that completes by the deadline of the call; if the task throws, or
   *     the future fails with another exception than a {@link QuorateException}, the result fails
   *     with one
   */
  public <T> CompletableFuture<T> onLoop(Function<ClientContext, CompletableFuture<T>> task) {
    CompletableFuture<T> future = new CompletableFuture<>();
    Guarded call =
        cause -> future.completeExceptionally(Guarded.failure(cause, /* mayHaveHappened= */ false));
    try {
      loop.execute(() -> call.enter(() -> run(task, future, call)));
    } catch (RejectedExecutionException e) {
      future.completeExceptionally(isClosed());
    } catch (Throwable e) {
      call.endWith(e);
    }
    return future;
  }

  private <T> void run(
      Function<ClientContext, CompletableFuture<T>> task,
      CompletableFuture<T> future,
      Guarded call) {
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
                call.endWith(failure);
              }
            });
  }

  /** Whether all calls fail from now on. Any thread. */
  public boolean wasClosed() {
    return closed;
  }

  public boolean isOnLoop() {
    return loop.inEventLoop();
  }

  /**
   * Ends every call and the sessions of the client, and closes every connection. Blocks until that
   * is done, except on the event loop.
   */
  public void close() {
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
    try {
      calls.close(new ClientClosedException("The client was closed."));
      held.loseAll(UnsettledWrite.CLOSED);
      SessionEnd.begin(this, this::shutDown);
    } catch (Throwable e) {
      LOG.atWarn().setCause(e).log("The sessions of this client were not ended");
      shutDown();
    }
  }

  private void shutDown() {
    try {
      pools.values().forEach(pool -> pool.close("the client was closed"));
    } finally {
      network.shutDown();
    }
  }

  /** Begins a call that {@link #submit} has let enter. Returns false if the client is closed. */
  boolean begun(RegionCall<?> call) {
    if (!closed) {
      calls.begun(call);
    }
    return !closed;
  }

  public ClientOptions options() {
    return options;
  }

  public EventLoop loop() {
    return loop;
  }

  public RetryPolicy policy() {
    return policy;
  }

  public Router router() {
    return router;
  }

  public FlowController admission() {
    return admission;
  }

  FlowBounds bounds() {
    return bounds;
  }

  public HedgeDelay hedgeDelay() {
    return hedgeDelay;
  }

  /**
   * Divides quorum reads between the leader and the other replicas; empty if they are not divided.
   */
  public Optional<ReadBalancer> readBalancer() {
    return readBalancer;
  }

  public SessionSequencer writes() {
    return writes;
  }

  HeldWrites held() {
    return held;
  }

  /** Of the calls of views that keep one. */
  public KeyOrder order() {
    return order;
  }

  void ended(RegionCall<?> call) {
    calls.ended(call);
  }

  public void awaitTopology(TopologyWaiter waiter) {
    calls.await(waiter);
    refresher.refresh();
  }

  public void refreshTopology() {
    refresher.refresh();
  }

  /** Why the topology is not known. */
  public AttemptFailure topologyFailure() {
    return refresher.failure();
  }

  public void stopAwaitingTopology(TopologyWaiter waiter) {
    calls.stopAwaiting(waiter);
  }

  public boolean isReachable(NodeId node) {
    return pool(node).isUsable();
  }

  public boolean isConnected(NodeId node) {
    return pool(node).isConnected();
  }

  /** The connection pool of a node in the topology. */
  public ConnectionPool pool(NodeId node) {
    ConnectionPool pool = pool(router.topology().orElseThrow().nodes().get(node));
    pool.expect(node);
    return pool;
  }

  public ConnectionPool pool(NodeAddress address) {
    return pools.computeIfAbsent(
        address,
        absent ->
            new ConnectionPool(
                absent, options.connectionsPerNode(), pauses, this::connect, this, loop));
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
  public void recordFailure(AttemptFailure failure, RegionDescriptor region, NodeId target) {
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
    held.loseAll("the cluster was founded anew");
    // The sessions and positions of the former cluster mean nothing to this one.
    writes = new SessionSequencer(ClientId.random());
    calls.foundedAnew();
  }

  /** Uses nodes of this founding alone from now on. */
  public void pin(UUID own) {
    founding.pin(own);
    if (router.topology().filter(present -> !present.founding().equals(own)).isPresent()) {
      router.reset();
    }
    closeOthers(own);
  }

  /** Why a node of another founding was refused last, as a phrase. */
  public Optional<String> foundingRefusal() {
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
  public List<ConnectionPool> candidates(Collection<NodeAddress> addresses) {
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
    return !closed && !calls.isEmpty();
  }

  @Override
  public boolean update(Topology topology) {
    UPDATE.passed(this);
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
    calls.topologyLearned();
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
    calls.topologyRejected(cause);
  }
}
