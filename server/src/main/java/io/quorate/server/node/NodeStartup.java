package io.quorate.server.node;

import io.quorate.common.Failpoint;
import io.quorate.server.config.ClusterConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.node.join.JoinDecision;
import io.quorate.server.node.join.JoinState;
import io.quorate.server.node.join.NodeRegistration;
import io.quorate.server.node.join.Peers;
import io.quorate.server.node.replicas.ReplicaManager;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.Bootstrap;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologySource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a node's start that may wait for other nodes: joins the cluster as {@link
 * JoinDecision} decides, opens the node's replicas, then starts to serve clients. Runs on a thread
 * of its own.
 */
final class NodeStartup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeStartup.class);

  /** The replicas are open and may lead; the node does not serve yet. The subject is the node. */
  private static final Failpoint BEFORE_SERVING = Failpoint.named("server.startup.before-serving");

  private static final long PAUSE_MILLIS = 100;
  private static final Duration LOG_PAUSE = Duration.ofSeconds(5);

  private final ClusterConfig cluster;
  private final UUID disk;
  private final ClusterTopology topology;
  private final ReplicaManager replicas;
  private final ServingState servingState;
  private final TopologySource source;
  private final Peers peers;
  private final NodeRegistration registration;
  private final boolean isSecure;
  private final Consumer<UUID> belongTo;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CompletableFuture<Void> joined = new CompletableFuture<>();
  private final boolean hasMetadata;
  private final boolean isFounding;
  private volatile JoinState state;
  private String waitsFor = "";
  private long loggedNanos = System.nanoTime() - LOG_PAUSE.toNanos();
  private Thread thread;

  /**
   * @param disk the identity of the data directory
   * @param source used by the thread alone until it has ended
   * @param isSecure whether this node serves users alone
   * @param belongTo receives the founding of the cluster that the node joins, before it takes part
   * @throws IOException if files of the replicas cannot be used
   */
  NodeStartup(
      ClusterConfig cluster,
      UUID disk,
      ClusterTopology topology,
      ReplicaManager replicas,
      ServingState servingState,
      TopologySource source,
      Peers peers,
      NodeRegistration registration,
      boolean isSecure,
      Consumer<UUID> belongTo)
      throws IOException {
    this.cluster = cluster;
    this.disk = disk;
    this.topology = topology;
    this.replicas = replicas;
    this.servingState = servingState;
    this.source = source;
    this.peers = peers;
    this.registration = registration;
    this.isSecure = isSecure;
    this.belongTo = belongTo;
    this.hasMetadata = replicas.has(RegionAssignment.METADATA);
    this.isFounding = !replicas.hasJoined();
    this.state = !isFounding ? JoinState.JOINED : hasMetadata ? JoinState.FOUNDING : JoinState.NEW;
  }

  /**
   * Opens the replica of region 0, if this node has one, and starts the thread. Blocks on files.
   *
   * @throws IOException if files of the replica cannot be used
   */
  void start() throws IOException {
    if (hasMetadata) {
      replicas.host(Bootstrap.metadata(cluster));
      topology
          .hosted(RegionAssignment.METADATA)
          .map(MetadataRegion::new)
          .ifPresent(this::requireSecurity);
      topology
          .hosted(RegionAssignment.METADATA)
          .map(MetadataRegion::new)
          .flatMap(MetadataRegion::read)
          .ifPresent(topology::recall);
    }
    thread = new Thread(this::run, "quorate-join");
    thread.setDaemon(true);
    thread.start();
  }

  /** Without it anyone could read here what the others serve to users alone. */
  private void requireSecurity(MetadataRegion metadata) {
    if (!isSecure && metadata.access().read().isPresent()) {
      throw new StartupException(
          "The cluster of this node has users and roles, and the node has no certificates; set"
              + " quorate.security.certificates.");
    }
  }

  /**
   * Completes when the node serves; fails if it cannot, in which case it must stop. Dependent
   * actions run on the thread of the start.
   */
  CompletableFuture<Void> joined() {
    return joined;
  }

  /** How far the node is, also before {@link #start}; for the status. Any thread. */
  JoinState state() {
    return state;
  }

  /** Whether the node had not received the topology before this start. Any thread. */
  boolean isFounding() {
    return isFounding;
  }

  /** Cancels the start if it has not finished; blocks until the thread has ended. */
  @Override
  public void close() {
    stopped.countDown();
    if (thread == null) {
      return;
    }
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      join();
      BEFORE_SERVING.reached(topology.self());
      servingState.serve();
      joined.complete(null);
    } catch (InterruptedException e) {
      joined.cancel(false);
    } catch (IOException | RuntimeException | Error e) {
      joined.completeExceptionally(e);
    }
  }

  private void join() throws InterruptedException, IOException {
    while (true) {
      Optional<StoredTopology> found = source.look().filter(topology::mayBe);
      JoinDecision decision =
          JoinDecision.of(
              topology.self(),
              disk,
              state,
              cluster.nodes().stream().map(node -> node.id()).toList(),
              found.isEmpty() && state == JoinState.NEW ? peers.reports() : Peers.Reports.NONE,
              found);
      String reason = decision.action() == JoinDecision.Action.WAIT ? reason(decision) : "";
      servingState.waitFor(reason);
      switch (decision.action()) {
        case SERVE -> {
          follow(found.orElseThrow());
          return;
        }
        case FOUND -> found();
        case REGISTER -> registration.register();
        case WAIT -> logWait(reason);
        case STOP -> throw new IOException(decision.reason());
      }
      if (stopped.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new InterruptedException();
      }
    }
  }

  /** With the node of a former cluster of the same name that was met, if there is one. */
  private String reason(JoinDecision decision) throws InterruptedException {
    return decision.reason() + peers.foundingRefusal().map(refusal -> "; " + refusal).orElse("");
  }

  private void found() throws IOException {
    state = JoinState.FOUNDING;
    RegionAssignment metadata = Bootstrap.metadata(cluster);
    if (metadata.isOn(topology.self())) {
      replicas.host(metadata);
    }
  }

  private void follow(StoredTopology stored) throws IOException {
    RegionTable expected = Bootstrap.regions(cluster);
    if (state != JoinState.JOINED && !shape(stored.regions()).equals(shape(expected))) {
      LOG.atWarn()
          .addKeyValue("stored", stored.regions().regions().size())
          .addKeyValue("configured", expected.regions().size())
          .log(
              "The configuration describes other regions than the cluster was started with;"
                  + " the stored ones hold, and cluster.regions and cluster.split-keys have no"
                  + " effect");
    }
    belongTo.accept(stored.founding());
    replicas.join(stored.founding());
    topology.learn(stored);
    state = JoinState.JOINED;
    try {
      replicas.follow(stored);
    } catch (IOException e) {
      // The replicas that can be used serve, and this is repeated from then on.
      LOG.atWarn()
          .addKeyValue("reason", e.getMessage())
          .log("A replica of this node cannot be used now; the others are");
    }
  }

  private static List<?> shape(RegionTable table) {
    return table.regions().stream().map(RegionAssignment::range).toList();
  }

  private void logWait(String reason) {
    boolean isDue = System.nanoTime() - loggedNanos >= LOG_PAUSE.toNanos();
    if (isDue && !reason.equals(waitsFor)) {
      waitsFor = reason;
      loggedNanos = System.nanoTime();
      LOG.atInfo().addKeyValue("reason", reason).log("This node does not serve yet");
    }
  }
}
