package io.quorate.ratis;

import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.ratis.settings.RatisSettings;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.snapshot.SnapshotFetcher;
import io.quorate.replication.snapshot.SnapshotSender;
import io.quorate.replication.transport.GroupRequests;
import io.quorate.replication.transport.RequestTimeout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftPeerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The snapshots that one replica sends to others and receives from its leader. Thread-safe. */
final class MemberSnapshots implements SnapshotInstallation.Source {
  private static final Logger LOG = LoggerFactory.getLogger(MemberSnapshots.class);

  private final NodeId node;
  private final GroupSpec spec;
  private final RatisSettings settings;
  private final RatisThreads threads;
  private final Path incoming;
  private final SnapshotSender sender;
  private final Supplier<ReplicaTransport> transport;

  /**
   * Blocks: snapshots that an earlier process left are deleted.
   *
   * @param transport called when a snapshot is fetched
   */
  MemberSnapshots(
      EngineContext context,
      GroupSpec spec,
      RatisSettings settings,
      RatisThreads threads,
      ReplicatedStateMachine machine,
      Supplier<ReplicaTransport> transport)
      throws IOException {
    this.node = context.self();
    this.spec = spec;
    this.settings = settings;
    this.threads = threads;
    this.transport = transport;
    Path directory = directory(context, spec.group());
    this.incoming = directory.resolve("incoming");
    this.sender =
        new SnapshotSender(
            machine::exportSnapshot,
            new SnapshotLog(spec.group()),
            directory.resolve("outgoing"),
            settings.snapshots().chunkBytes(),
            settings.snapshots().idleTimeout(),
            threads.files());
  }

  /** The snapshots of a group that this node sends and receives. */
  static Path directory(EngineContext context, GroupId group) {
    return context.directory().resolve("snapshots").resolve(group.toString());
  }

  /** Serves the requests of other replicas for snapshots. */
  Map<Byte, GroupRequests.Handler> handlers() {
    return Map.of(RequestKind.SNAPSHOT.code(), (from, request) -> sender.respond(request));
  }

  @Override
  public GroupId region() {
    return spec.group();
  }

  /** Fetches the snapshot of a leader. Does not block. */
  @Override
  public CompletableFuture<SnapshotFetcher.Fetched> fetch(RaftPeerId leader) {
    ReplicaTransport replicas = transport.get();
    RequestTimeout timeout =
        new RequestTimeout(settings.snapshots().idleTimeout(), "raft.snapshot-idle-timeout");
    return new SnapshotFetcher(
            node.value(),
            incoming,
            settings.snapshots().chunkBytes(),
            threads.fetches(),
            replicas.snapshotPace())
        .fetch(() -> replicas.snapshotsOf(RaftIds.node(leader), timeout))
        .whenComplete(
            (fetched, failure) -> {
              if (failure == null) {
                LOG.info(
                    "Fetched a snapshot region={} leader={} position={} bytes={}",
                    spec.group(),
                    leader,
                    fetched.position(),
                    fetched.bytes());
              }
            });
  }

  /** Deletes what no other replica has asked for recently. Blocks. */
  void dropIdle() {
    sender.dropIdle();
  }

  void close() {
    sender.close();
  }
}
