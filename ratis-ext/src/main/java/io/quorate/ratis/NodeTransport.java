package io.quorate.ratis;

import io.quorate.common.DurableFiles;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.Member;
import io.quorate.consensus.Starts;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.ratis.hibernation.Hibernator;
import io.quorate.ratis.read.ConfirmationSender;
import io.quorate.ratis.settings.RatisSettings;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.GroupRequests;
import io.quorate.replication.transport.PeerTransport;
import io.quorate.replication.transport.RequestBody;
import io.quorate.replication.transport.RequestTimeout;
import io.quorate.replication.transport.TrafficClass;
import io.quorate.replication.transport.handshake.PeerEvents;
import io.quorate.replication.transport.handshake.PeerIdentities;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The transport between nodes, and the requests that are for a node rather than for a group: among
 * them Raft's own messages. Thread-safe.
 */
final class NodeTransport
    implements Hibernator.Requests, ConfirmationSender.Transport, AutoCloseable {
  /** Receives what is for a node. No group has this number. */
  private static final GroupId NODE = new GroupId(Integer.MAX_VALUE);

  private final PeerTransport peers;
  private final RequestTimeout timeout;
  private final RequestTimeout followerTimeout;
  private final GroupRequests requests;
  private final Function<NodeId, Optional<InetSocketAddress>> addresses;

  private NodeTransport(
      PeerTransport peers,
      RatisSettings settings,
      Function<NodeId, Optional<InetSocketAddress>> addresses) {
    this.peers = peers;
    this.addresses = addresses;
    this.timeout =
        new RequestTimeout(settings.elections().timeoutMin(), "raft.election-timeout-min");
    this.followerTimeout =
        new RequestTimeout(settings.followerTimeout(), "twice raft.election-timeout-max");
    this.requests = new GroupRequests(peers, NODE, TrafficClass.CONSENSUS, Map.of());
  }

  /**
   * Starts the transport. Must be called before anything else is written to the engine's directory.
   */
  static NodeTransport start(EngineContext context, RatisSettings settings) throws IOException {
    Path directory = directory(context.directory());
    PeerIdentities identities =
        PeerIdentities.open(
            directory,
            settings.transport().section(),
            context.nodes().disks(),
            context.cluster(),
            context.self());
    return new NodeTransport(
        PeerTransport.start(
            settings.transport(),
            context.listen(),
            context.nodes(),
            identities,
            new PeerLog(context.fatal()),
            context.telemetry()),
        settings,
        context.nodes()::address);
  }

  /**
   * The directory of the transport's files. Other files without it mean that it was lost, and with
   * it which disks of other nodes must not take part.
   */
  private static Path directory(Path engine) throws IOException {
    Path directory = engine.resolve("transport");
    if (!Files.exists(directory.resolve(PeerIdentities.FILE))) {
      try (Stream<Path> entries = Files.list(engine)) {
        if (entries.anyMatch(entry -> !entry.equals(directory) && !Starts.isRecord(entry))) {
          throw PeerIdentities.missing(directory);
        }
      }
      Files.createDirectories(directory);
      DurableFiles.syncDirectory(engine);
    }
    return directory;
  }

  /** What the groups of this node share. */
  PeerTransport peers() {
    return peers;
  }

  /** Serves the requests of other nodes from now on. */
  void serve(Map<RequestKind, GroupRequests.Handler> handlers) {
    Map<Byte, GroupRequests.Handler> byCode =
        handlers.entrySet().stream()
            .collect(Collectors.toMap(each -> each.getKey().code(), Map.Entry::getValue));
    peers.join(NODE, new GroupRequests(peers, NODE, TrafficClass.CONSENSUS, byCode).listener());
  }

  @Override
  public CompletableFuture<ByteBuffer> send(NodeId to, RequestKind kind, ByteBuffer body) {
    return requests.call(to, kind.code(), List.of(body), timeout);
  }

  @Override
  public boolean connect(NodeId node) {
    Optional<Member> member = addresses.apply(node).map(address -> new Member(node, address));
    member.ifPresent(peers::link);
    return member.isPresent();
  }

  @Override
  public void disconnect(NodeId node) {
    peers.unlink(node);
  }

  @Override
  public CompletableFuture<ByteBuffer> send(NodeId to, ByteBuffer confirmations) {
    return send(to, RequestKind.CONFIRM_LEADERS, confirmations);
  }

  @Override
  public void execute(NodeId to, Runnable task) {
    peers.execute(to, task);
  }

  /** Sends a message of Raft to a node. Does not block. */
  CompletableFuture<ByteBuffer> sendMessage(NodeId to, RequestKind kind, RequestBody body) {
    return requests.call(to, kind.code(), body, followerTimeout);
  }

  @Override
  public void close() {
    peers.close();
  }

  /** Ends the node after a failed write of an identity; refusals are logged by the transport. */
  private static final class PeerLog implements PeerEvents {
    private final Consumer<ConsensusException.Fatal> fatal;
    private final AtomicBoolean failed = new AtomicBoolean();

    PeerLog(Consumer<ConsensusException.Fatal> fatal) {
      this.fatal = fatal;
    }

    @Override
    public void acceptedBy(NodeId peer) {
      // The first start of a cluster needs as many nodes already.
    }

    @Override
    public void refusedBy(NodeId peer, RefusalReason reason, String detail) {
      // The transport repeats the attempt.
    }

    @Override
    public void failed(IOException why) {
      if (failed.compareAndSet(false, true)) {
        fatal.accept(
            new ConsensusException.Fatal("The identities of peers cannot be written.", why));
      }
    }
  }
}
