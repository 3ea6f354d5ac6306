package io.quorate.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Hello;
import io.quorate.client.wire.v1.Topology;
import io.quorate.client.wire.v1.Welcome;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.quorum.ReadMix;
import io.quorate.operation.ClientId;
import io.quorate.operation.MalformedException;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the calls of one client share: the event loop, the ways to the nodes, the map, the bounds,
 * the numbers of writes. Everything but {@link #submit}, {@link #onLoop}, {@link #isOnLoop} and
 * {@link #close} belongs to the event loop.
 */
final class ClientCore implements NodeLink.Listener, MapRefresher.Host {
  private static final Logger LOG = LoggerFactory.getLogger(ClientCore.class);

  private final ClientOptions options;
  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  private final ExecutorService lookups;
  private final Bootstrap bootstrap;
  private final CallPolicy policy;
  private final Router router;
  private final Admission admission;
  private final OutstandingWrites writes = new OutstandingWrites(ClientId.random());
  private final MapRefresher refresher;
  private final HedgeDelay hedgeDelay = new HedgeDelay();
  private final Map<NodeAddress, NodeLink> links = new LinkedHashMap<>();
  private final Set<Call<?>> calls = new LinkedHashSet<>();
  private final Set<MapWaiter> mapWaiters = new LinkedHashSet<>();
  private Optional<ReadMix.Policy> mixPolicy = Optional.empty();
  private Optional<ReadMix> mix = Optional.empty();
  private boolean closed;

  ClientCore(ClientOptions options) {
    this.options = options;
    group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("quorate-client", true), NioIoHandler.newFactory());
    loop = group.next();
    lookups =
        Executors.newSingleThreadExecutor(new DefaultThreadFactory("quorate-client-names", true));
    bootstrap =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .resolver(new OffLoopResolver(lookups))
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) options.connectTimeout().toMillis());
    policy =
        new CallPolicy(
            options.backoffMin(),
            options.backoffMax(),
            options.attemptTimeout(),
            () -> ThreadLocalRandom.current().nextDouble());
    router =
        new Router(options.nearestNode(), ThreadLocalRandom.current().nextInt(), System::nanoTime);
    admission =
        new Admission(
            options.inFlightRequestsMax(),
            options.inFlightBytesMax(),
            options.waitingRequestsMax(),
            options.waitingBytesMax());
    refresher = new MapRefresher(this, loop, policy, options.attemptTimeout());
  }

  /** Starts a call, from any thread. Never throws; does not block. */
  <T> CompletableFuture<T> submit(Request<T> request, Duration deadline) {
    if (request.costBytes() > options.inFlightBytesMax()) {
      return refused(
          request,
          new InvalidRequestException(
              "The client has at most "
                  + options.inFlightBytesMax()
                  + " bytes in flight, and the request needs "
                  + request.costBytes()
                  + "."));
    }
    if (!admission.tryEnter(request.costBytes())) {
      return refused(request, new OverloadedException(waitingBound()));
    }
    CompletableFuture<T> future = new CompletableFuture<>();
    Call<T> call = new Call<>(this, request, future, deadline);
    try {
      loop.execute(
          () -> {
            calls.add(call);
            call.apply();
            if (closed) {
              call.clientClosed();
            }
          });
    } catch (RejectedExecutionException e) {
      return refused(request, new ClientClosedException("The client is closed."));
    }
    return future;
  }

  private <T> CompletableFuture<T> refused(Request<T> request, QuorateException why) {
    options
        .listener()
        .ifPresent(
            listener ->
                report(
                    listener, new CallReport(request.kind(), Duration.ZERO, 0, Optional.of(why))));
    return CompletableFuture.failedFuture(why);
  }

  private static void report(CallListener listener, CallReport ended) {
    try {
      listener.ended(ended);
    } catch (RuntimeException e) {
      LOG.atWarn().setCause(e).log("The listener of this client's calls has failed");
    }
  }

  /** Runs something on the event loop, from any thread, and passes its answer on. */
  <T> CompletableFuture<T> onLoop(Function<ClientCore, CompletableFuture<T>> task) {
    CompletableFuture<T> future = new CompletableFuture<>();
    try {
      loop.execute(
          () -> {
            if (closed) {
              future.completeExceptionally(new ClientClosedException("The client is closed."));
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
      future.completeExceptionally(new ClientClosedException("The client is closed."));
    }
    return future;
  }

  boolean isOnLoop() {
    return loop.inEventLoop();
  }

  /** Ends every call and closes every connection. Blocks until that is done, except on the loop. */
  void close() {
    try {
      loop.execute(this::closeOnLoop);
    } catch (RejectedExecutionException e) {
      return; // Closed before.
    }
    var termination = group.shutdownGracefully(0, 2, TimeUnit.SECONDS);
    lookups.shutdownNow();
    if (!isOnLoop()) {
      termination.awaitUninterruptibly();
    }
  }

  private void closeOnLoop() {
    if (closed) {
      return;
    }
    closed = true;
    List.copyOf(calls).forEach(Call::clientClosed);
    ClientClosedException why = new ClientClosedException("The client was closed.");
    List.copyOf(mapWaiters).forEach(waiter -> waiter.mapRefused(why));
    mapWaiters.clear();
    links.values().forEach(link -> link.close("the client was closed"));
  }

  ClientOptions options() {
    return options;
  }

  EventLoop loop() {
    return loop;
  }

  CallPolicy policy() {
    return policy;
  }

  Router router() {
    return router;
  }

  Admission admission() {
    return admission;
  }

  HedgeDelay hedgeDelay() {
    return hedgeDelay;
  }

  /** How quorum reads are divided between the leader and the others, if they are. */
  Optional<ReadMix> mix() {
    return mix;
  }

  OutstandingWrites writes() {
    return writes;
  }

  String inFlightBound(Duration deadline) {
    return "The client has at most "
        + options.inFlightRequestsMax()
        + " requests and "
        + options.inFlightBytesMax()
        + " bytes in flight, and this one did not get its turn within "
        + Durations.text(deadline)
        + ".";
  }

  private String waitingBound() {
    return "The client keeps at most "
        + options.waitingRequestsMax()
        + " requests and "
        + options.waitingBytesMax()
        + " bytes waiting for their turn.";
  }

  void ended(Call<?> call, Optional<QuorateException> failure) {
    calls.remove(call);
    mapWaiters.remove(call);
    options.listener().ifPresent(listener -> report(listener, call.report(failure)));
  }

  void awaitMap(MapWaiter waiter) {
    mapWaiters.add(waiter);
    refresher.refresh();
  }

  void refreshMap() {
    refresher.refresh();
  }

  String mapProblem() {
    return refresher.problem();
  }

  /** Completes when the map is known; fails when the deadline for calls passes before. */
  CompletableFuture<Void> ready() {
    CompletableFuture<Void> ready = new CompletableFuture<>();
    if (router.map().isPresent()) {
      ready.complete(null);
      return ready;
    }
    MapWaiter waiter =
        new MapWaiter() {
          @Override
          public void mapLearnt() {
            ready.complete(null);
          }

          @Override
          public void mapRefused(QuorateException why) {
            ready.completeExceptionally(why);
          }
        };
    var timer =
        loop.schedule(
            () -> {
              mapWaiters.remove(waiter);
              CallProgress progress =
                  CallProgress.start(false, options.deadline())
                      .after(new Setback.Lost(false, mapProblem()));
              ready.completeExceptionally(policy.expired(progress));
            },
            options.deadline().toNanos(),
            TimeUnit.NANOSECONDS);
    ready.whenComplete((done, failure) -> timer.cancel(false));
    awaitMap(waiter);
    return ready;
  }

  boolean isReachable(NodeId node) {
    return link(node).isUsable();
  }

  /** The way to a node that is on the map. */
  NodeLink link(NodeId node) {
    NodeLink link = link(router.map().orElseThrow().nodes().get(node));
    link.expect(node);
    return link;
  }

  NodeLink link(NodeAddress address) {
    return links.computeIfAbsent(
        address,
        absent ->
            new NodeLink(absent, options.connectionsPerNode(), policy, this::connect, this, loop));
  }

  private Connection connect(NodeAddress address, Connection.Owner owner) {
    String clusterId = router.map().map(ClusterMap::clusterId).or(options::clusterId).orElse("");
    Hello hello =
        Hello.newBuilder().setClusterId(clusterId).setClientName(options.clientName()).build();
    return Connection.open(loop, bootstrap, address, options, hello, owner);
  }

  /** Takes what an attempt's end says about leaders and regions. */
  void learnFrom(Setback setback, RegionDescriptor region, NodeId asked) {
    if (setback instanceof Setback.Answered answered) {
      if (answered.status() == Status.NOT_LEADER) {
        router.notLeader(region.id(), asked, CallPolicy.leader(answered.failure()));
      } else if (answered.status() == Status.STALE_EPOCH && answered.failure().hasTopology()) {
        learn(answered.failure().getTopology());
      } else if (answered.status() == Status.UNAVAILABLE) {
        router.unhelpful(asked);
      }
    } else if (!(setback instanceof Setback.TooLarge)) {
      router.unreachable(asked);
    }
  }

  @Override
  public void greeted(Welcome welcome) {
    learn(welcome.getTopology());
  }

  @Override
  public void lost(NodeAddress address) {
    LOG.debug("Lost the connection to {}", address);
    if (!closed) {
      refresher.refresh();
    }
  }

  @Override
  public List<NodeLink> candidates() {
    Set<NodeAddress> addresses = new LinkedHashSet<>();
    router.map().ifPresent(map -> addresses.addAll(map.nodes().values()));
    addresses.addAll(options.seeds());
    // A stable sort: those with a connection first, those in a pause last.
    return addresses.stream()
        .map(this::link)
        .sorted(
            Comparator.comparing(NodeLink::isConnected)
                .thenComparing(NodeLink::isUsable)
                .reversed())
        .toList();
  }

  @Override
  public boolean needsMap() {
    return !closed && (!calls.isEmpty() || !mapWaiters.isEmpty());
  }

  @Override
  public boolean learn(Topology topology) {
    ClusterMap learnt;
    try {
      learnt = ClusterMap.of(topology);
    } catch (MalformedException e) {
      LOG.debug("Not taken over: {}", e.getMessage());
      return false;
    }
    boolean isAnother =
        router.map().map(map -> !map.clusterId().equals(learnt.clusterId())).orElse(false);
    if (isAnother) {
      return false;
    }
    router.learn(learnt);
    Optional<ReadMix.Policy> policy = router.map().flatMap(map -> map.reads().mix());
    if (!policy.equals(mixPolicy)) {
      mixPolicy = policy;
      mix = policy.map(how -> new ReadMix(how, () -> ThreadLocalRandom.current().nextDouble()));
    }
    List<MapWaiter> waiters = List.copyOf(mapWaiters);
    mapWaiters.clear();
    waiters.forEach(MapWaiter::mapLearnt);
    return true;
  }

  @Override
  public void refused(QuorateException why) {
    List<MapWaiter> waiters = List.copyOf(mapWaiters);
    mapWaiters.clear();
    waiters.forEach(waiter -> waiter.mapRefused(why));
  }
}
