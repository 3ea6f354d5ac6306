package io.quorate.ratis;

import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.ratis.requests.RequestKind;
import io.quorate.snapshot.SnapshotFetcher;
import io.quorate.snapshot.SnapshotSender;
import io.quorate.transport.GroupRequests;
import io.quorate.transport.RequestTimeout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftPeerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The snapshots that one replica sends to others and receives from its leader. Thread-safe. */
final class MemberSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(MemberSnapshots.class);

  private final NodeId node;
  private final GroupSpec spec;
  private final RatisSettings settings;
  private final RatisThreads threads;
  private final Path incoming;
  private final SnapshotSender sender;

  /** Blocks: snapshots that an earlier process left are deleted. */
  MemberSnapshots(
      EngineContext context,
      GroupSpec spec,
      RatisSettings settings,
      RatisThreads threads,
      ReplicatedStateMachine machine)
      throws IOException {
    this.node = context.self();
    this.spec = spec;
    this.settings = settings;
    this.threads = threads;
    Path directory = directory(context, spec.group());
    this.incoming = directory.resolve("incoming");
    this.sender =
        new SnapshotSender(
            machine::exportSnapshot,
            new SnapshotLog(spec.group()),
            directory.resolve("outgoing"),
            settings.snapshotChunkBytes(),
            settings.snapshotIdleTimeout(),
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

  /** Fetches the snapshot of a leader. Does not block. */
  CompletableFuture<SnapshotFetcher.Fetched> fetch(RaftPeerId leader, ReplicaTransport transport) {
    RequestTimeout timeout =
        new RequestTimeout(settings.snapshotIdleTimeout(), "raft.snapshot-idle-timeout");
    return new SnapshotFetcher(
            node.value(),
            incoming,
            settings.snapshotChunkBytes(),
            threads.fetches(),
            transport.snapshotPace())
        .fetch(() -> transport.snapshotsOf(RaftIds.node(leader), timeout))
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
