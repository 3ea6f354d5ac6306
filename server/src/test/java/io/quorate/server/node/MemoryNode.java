package io.quorate.server.node;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.KnownNodes;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.node.monitor.LostReplicas;
import io.quorate.server.node.monitor.ReplicaGauges;
import io.quorate.server.node.monitor.ReplicaLag;
import io.quorate.server.node.replicas.ReplicaManager;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.storage.Storage;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** The replicas of one node, with an engine that keeps its log in memory, and no ports. */
public final class MemoryNode implements AutoCloseable {
  public static final NodeId SELF = new NodeId("n1");

  /** A node of the cluster that does not run. */
  public static final NodeId OTHER = new NodeId("n2");

  public final Storage storage;
  public final ClusterTopology topology;
  public final ReplicaManager replicas;
  public final LostReplicas lost;
  private final AtomicLong nanos = new AtomicLong();
  private final ConsensusEngine engine;

  /** The groups whose files are damaged, until they are removed. */
  private final Set<GroupId> damaged = new HashSet<>();

  public MemoryNode(Path directory) throws IOException {
    this(directory, StorageOptions.DEFAULT);
  }

  /** The records of the node in this directory, which are created if there are none. */
  public static ReplicaRecords records(Path directory) throws IOException {
    Path records = directory.resolve("replicas");
    if (!Files.exists(records)) {
      ReplicaRecords.create(records);
    }
    return ReplicaRecords.open(records);
  }

  public MemoryNode(Path directory, StorageOptions options) throws IOException {
    ClusterId cluster = new ClusterId("c");
    storage = Storage.open(directory.resolve("storage"), options, MetricsSink.NONE);
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    ReplicaRecords records = records(directory);
    ConsensusEngine undamaged =
        new MemoryEngineProvider()
            .start(
                new EngineContext(
                    cluster.uuid(),
                    SELF,
                    anyPort,
                    new KnownNodes(node -> List.of(), NodeDisks.unregistered()),
                    directory.resolve("engine"),
                    EngineSettings.defaults("memory"),
                    MetricsSink.NONE,
                    Optional.empty(),
                    records,
                    failure -> {
                      throw failure;
                    }));
    engine = new DamagedFiles(undamaged);
    lost = new LostReplicas(nanos::get);
    topology =
        new ClusterTopology(
            cluster,
            SELF,
            List.of(
                new ClusterNode(SELF, "localhost", 1, 2, 3),
                new ClusterNode(OTHER, "localhost", 5, 6, 7)),
            new ClusterTopology.Service(true, false, true, Optional.empty(), Optional.empty()));
    replicas =
        new ReplicaManager(
            storage,
            engine,
            topology,
            records,
            lost,
            new ReplicaGauges(
                topology,
                new ServingState(),
                new ReplicaLag(topology, node -> new CompletableFuture<>(), System::nanoTime),
                MetricsSink.NONE),
            () -> {},
            MetricsSink.NONE);
  }

  /** From now on the files of a group are damaged. */
  public void damage(GroupId group) {
    damaged.add(group);
  }

  /** Advances the clock by which losses are reported. */
  public void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Override
  public void close() {
    engine.close();
    storage.close();
  }

  /** The engine, some of whose files are damaged. */
  private final class DamagedFiles implements ConsensusEngine {
    private final ConsensusEngine undamaged;

    DamagedFiles(ConsensusEngine undamaged) {
      this.undamaged = undamaged;
    }

    @Override
    public Capabilities capabilities() {
      return undamaged.capabilities();
    }

    @Override
    public ConsensusGroup open(GroupSpec spec, ReplicatedStateMachine machine) throws IOException {
      if (damaged.contains(spec.group())) {
        throw new DamagedReplicaException("The file of " + spec.group() + " is damaged");
      }
      return undamaged.open(spec, machine);
    }

    @Override
    public void remove(GroupId group) throws IOException {
      undamaged.remove(group);
      damaged.remove(group);
    }

    @Override
    public void close() {
      undamaged.close();
    }
  }
}
