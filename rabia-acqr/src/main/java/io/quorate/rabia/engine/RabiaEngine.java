package io.quorate.rabia.engine;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableFiles;
import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.rabia.core.ReplayException;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.log.ReplicaLog;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.replication.log.DamagedGroupException;
import io.quorate.replication.log.EngineLog;
import io.quorate.replication.log.segment.DamagedRecordException;
import io.quorate.replication.transport.PeerTransport;
import io.quorate.replication.transport.handshake.PeerEvents;
import io.quorate.replication.transport.handshake.PeerIdentities;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine of one node: one transport, one log and a few threads for any number of groups. */
final class RabiaEngine implements ConsensusEngine {
  private static final Logger LOG = LoggerFactory.getLogger(RabiaEngine.class);
  private static final long STOP_SECONDS_MAX = 10;

  private final EngineContext host;
  private final RabiaSettings settings;
  private final Capabilities capabilities;
  private final PeerIdentities identities;
  private final EventLoopGroup replicaThreads;
  private final ExecutorService files = SnapshotService.newThreads("rabia-files");
  private final ExecutorService fetches = SnapshotService.newThreads("rabia-fetch");
  private final Map<GroupId, RabiaReplica> replicas = new ConcurrentHashMap<>();
  private final DiskReserve reserve;
  private final AtomicBoolean failed = new AtomicBoolean();
  private EngineLog log;
  private PeerTransport transport;
  private boolean closed;

  private RabiaEngine(
      EngineContext host,
      RabiaSettings settings,
      Capabilities capabilities,
      PeerIdentities identities) {
    this.host = host;
    this.settings = settings;
    this.capabilities = capabilities;
    this.identities = identities;
    this.reserve =
        new DiskReserve(
            DiskReserve.of(host.directory()),
            settings.node().freeSpaceReserveBytes(),
            () -> replicas.values().forEach(replica -> replica.loop().wake()));
    this.replicaThreads =
        new MultiThreadIoEventLoopGroup(
            settings.node().threads(),
            new DefaultThreadFactory("rabia-replica", true),
            // Without channels: its threads park, and timers are precise.
            LocalIoHandler.newFactory());
  }

  static RabiaEngine start(EngineContext host, RabiaSettings settings, Capabilities capabilities)
      throws IOException {
    PeerIdentities identities =
        PeerIdentities.open(
            host.directory(),
            settings.transport().section(),
            host.nodes().disks(),
            host.cluster(),
            host.self());
    RabiaEngine engine = new RabiaEngine(host, settings, capabilities, identities);
    try {
      engine.log = new EngineLog(host, settings.log(), engine::fail);
      engine.transport =
          PeerTransport.start(
              settings.transport(),
              host.listen(),
              host.nodes(),
              identities,
              engine.new Peers(),
              host.telemetry());
      engine.reserve.start();
      return engine;
    } catch (IOException | RuntimeException e) {
      engine.close();
      throw e;
    }
  }

  @Override
  public Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public synchronized ConsensusGroup open(GroupSpec spec, ReplicatedStateMachine machine)
      throws IOException {
    if (closed) {
      throw new IllegalStateException("The engine is closed");
    }
    if (replicas.containsKey(spec.group())) {
      throw new IllegalStateException("Group " + spec.group() + " is open already");
    }
    if (spec.members().size() > Configuration.MEMBERS_MAX) {
      throw new IOException(
          "Region "
              + spec.group()
              + " has "
              + spec.members().size()
              + " replicas, and a Rabia group at most "
              + Configuration.MEMBERS_MAX
              + " (cluster.replicas)");
    }
    try {
      return openReplica(spec, machine);
    } catch (DamagedLogException | DamagedGroupException | DamagedRecordException e) {
      throw new DamagedReplicaException(e);
    }
  }

  private ConsensusGroup openReplica(GroupSpec spec, ReplicatedStateMachine machine)
      throws IOException {
    log.require(spec.group());
    EventLoop thread = replicaThreads.next();
    LogReports reports = new LogReports(spec.group());
    ReplicaLog records = ReplicaLog.open(log.node(), spec.group(), thread, reports);
    RabiaReplica replica;
    try {
      OpenedReplica opened =
          OpenedReplica.open(host.self(), settings.core(), spec, records, machine);
      replica =
          new RabiaReplica(
              spec,
              host.self(),
              settings,
              opened,
              thread,
              transport,
              new SnapshotService.Files(
                  directory(spec.group()).resolve("snapshots"),
                  files,
                  fetches,
                  transport.snapshotPace()),
              reserve,
              failure -> fail(spec.group(), failure),
              () -> replicas.remove(spec.group()));
      replica.watch(new RabiaMetrics(host.telemetry(), spec.group()), opened);
      host.begun().add(spec.group());
    } catch (ReplayException e) {
      records.close();
      throw new DamagedReplicaException(
          "The records of region "
              + spec.group()
              + " in the log "
              + log.directory()
              + " are not those of this replica: "
              + e.getMessage());
    } catch (DamagedLogException e) {
      records.close();
      throw new DamagedReplicaException(
          "The log " + log.directory() + " cannot be replayed: " + e.getMessage());
    } catch (IOException | RuntimeException e) {
      records.close();
      throw e;
    }
    reports.loop = replica.loop();
    replicas.put(spec.group(), replica);
    replica.join();
    replica.startIfFormed(identities);
    return replica;
  }

  private Path directory(GroupId group) {
    return host.directory().resolve("groups").resolve(group.toString());
  }

  @Override
  public synchronized void remove(GroupId group) throws IOException {
    RabiaReplica replica = replicas.get(group);
    if (replica != null) {
      replica.close();
    }
    // First, so that after a crash in between the group does not open with a part of its files.
    log.remove(group);
    Path directory = directory(group);
    DurableFiles.deleteAtomically(
        directory, directory.resolveSibling(directory.getFileName() + ".removed"));
  }

  private void fail(GroupId group, Throwable failure) {
    fail(new ConsensusException.Fatal("The replica of group " + group + " has failed.", failure));
  }

  /** Reports the first failure only: later ones follow from it. */
  private void fail(ConsensusException.Fatal failure) {
    if (failed.compareAndSet(false, true)) {
      host.fatal().accept(failure);
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    for (RabiaReplica replica : List.copyOf(replicas.values())) {
      closing.add(CompletableFuture.runAsync(replica::close, files));
    }
    closing.forEach(CompletableFuture::join);
    if (log != null) {
      log.close();
    }
    if (transport != null) {
      transport.close();
    }
    reserve.close();
    files.shutdownNow();
    fetches.shutdownNow();
    replicaThreads.shutdownGracefully(0, STOP_SECONDS_MAX, TimeUnit.SECONDS);
    awaitThreads();
  }

  private void awaitThreads() {
    try {
      boolean ended =
          files.awaitTermination(STOP_SECONDS_MAX, TimeUnit.SECONDS)
              & fetches.awaitTermination(STOP_SECONDS_MAX, TimeUnit.SECONDS)
              & replicaThreads.awaitTermination(STOP_SECONDS_MAX, TimeUnit.SECONDS);
      if (!ended) {
        LOG.warn("Some threads of the Rabia engine did not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Passes the reports of a log to the loop of its replica, which is created after the log. */
  private final class LogReports implements ReplicaLog.Events {
    private final GroupId group;
    volatile ReplicaLoop loop;

    LogReports(GroupId group) {
      this.group = group;
    }

    @Override
    public void durable(Lsn through) {
      loop.durable(through);
    }

    @Override
    public void room() {
      loop.wake();
    }

    @Override
    public void failed(IOException cause) {
      fail(group, cause);
    }
  }

  private final class Peers implements PeerEvents {
    @Override
    public void acceptedBy(NodeId peer) {
      replicas.values().forEach(replica -> replica.startIfFormed(identities));
    }

    @Override
    public void refusedBy(NodeId peer, RefusalReason reason, String detail) {
      // The transport has logged the refusal, and it retries.
    }

    @Override
    public void failed(IOException why) {
      if (failed.compareAndSet(false, true)) {
        host.fatal()
            .accept(
                new ConsensusException.Fatal("The identities of peers cannot be written.", why));
      }
    }
  }
}
