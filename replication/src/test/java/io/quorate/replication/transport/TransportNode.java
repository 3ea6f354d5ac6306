package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.quorate.common.LoopbackPorts;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.KnownNodes;
import io.quorate.consensus.KnownNodes.PeerSecurity;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.Starts;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.PeerEvents;
import io.quorate.replication.transport.handshake.PeerIdentities;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A node with one group that records received messages. It can be restarted on its port. */
public final class TransportNode implements AutoCloseable {
  public static final UUID CLUSTER = new UUID(1, 2);
  public static final GroupId GROUP = new GroupId(7);

  record Received(NodeId from, TestMessage message) {}

  public final NodeId id;
  final Path directory;
  final Map<String, String> settings =
      new HashMap<>(Map.of("reconnect-min", "5ms", "reconnect-max", "40ms"));
  final List<Received> received = new CopyOnWriteArrayList<>();
  final List<NodeId> connections = new CopyOnWriteArrayList<>();
  final List<NodeId> acceptances = new CopyOnWriteArrayList<>();
  final List<RefusalReason> refusals = new CopyOnWriteArrayList<>();
  final List<IOException> failures = new CopyOnWriteArrayList<>();
  final CountingTelemetry telemetry = new CountingTelemetry();

  /** Returns the response to a request; by default, the request itself. */
  volatile BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> responses =
      (from, request) -> CompletableFuture.completedFuture(request);

  /** What other nodes say if this one has an older copy of its disk. */
  final List<String> outdated = new CopyOnWriteArrayList<>();

  /** The disks of nodes in the topology of this one. */
  final Map<NodeId, NodeDisks.Registered> registered = new ConcurrentHashMap<>();

  /** Which nodes belong to the cluster; by default, all. */
  volatile Function<NodeId, NodeDisks.Presence> presence = node -> NodeDisks.Presence.CONFIGURED;

  /** The addresses of nodes in the topology of this one. */
  final Map<NodeId, List<InetSocketAddress>> known = new ConcurrentHashMap<>();

  volatile Optional<UUID> founding = Optional.empty();
  volatile Starts starts = Starts.NONE;
  Optional<PeerSecurity> security = Optional.empty();
  UUID cluster = CLUSTER;
  PeerIdentities identities;
  PeerTransport transport;
  private final List<TransportNode> linked = new ArrayList<>();
  private final int port = LoopbackPorts.next();

  public TransportNode(String id, Path root) throws IOException {
    this.id = new NodeId(id);
    this.directory = Files.createDirectories(root.resolve(id));
  }

  TransportNode with(String key, String value) {
    settings.put(key, value);
    return this;
  }

  public TransportNode start() throws IOException {
    identities =
        PeerIdentities.open(
            directory,
            "rabia",
            new NodeDisks(
                UUID.randomUUID(),
                node -> Optional.ofNullable(registered.get(node)),
                node -> presence.apply(node),
                () -> founding,
                () -> starts,
                outdated::add),
            cluster,
            id);
    transport =
        PeerTransport.start(
            TransportSettings.from(new EngineSettings("rabia", settings)),
            new InetSocketAddress("127.0.0.1", port),
            new KnownNodes(
                node -> known.getOrDefault(node, List.of()), NodeDisks.unregistered(), security),
            identities,
            events(),
            telemetry);
    transport.join(GROUP, listener());
    linked.forEach(peer -> transport.link(peer.member()));
    return this;
  }

  /** Restarts the node, which presents these starts from its disk from now on. */
  void restart(Starts present) throws IOException {
    close();
    starts = present;
    start();
  }

  /** Links no peers at later starts. */
  void unlinkAll() {
    linked.clear();
  }

  /** Links the peers, now and after each start. This node must have been started. */
  public void link(TransportNode... peers) {
    for (TransportNode peer : peers) {
      linked.add(peer);
      transport.link(peer.member());
    }
  }

  /** The transport between {@link #start} and {@link #close}. */
  public PeerTransport transport() {
    return transport;
  }

  int port() {
    return port;
  }

  public Member member() {
    return new Member(id, InetSocketAddress.createUnresolved("127.0.0.1", port));
  }

  public void send(Payload message, TransportNode... to) {
    transport.send(GROUP, List.of(to).stream().map(node -> node.id).toList(), message);
  }

  public boolean isConnectedTo(TransportNode peer) {
    return transport.connected().contains(peer.id);
  }

  /** A message with this number and an empty body. */
  static TestMessage numbered(long number) {
    return new TestMessage(number, ByteBuffer.allocate(0));
  }

  /** The numbers of the messages received from a node, in the order of receipt. */
  List<Long> numbersFrom(TransportNode from) {
    return received.stream()
        .filter(each -> each.from().equals(from.id))
        .map(each -> each.message().number())
        .toList();
  }

  GroupListener listener() {
    return new Listener();
  }

  PeerEvents events() {
    return new Events();
  }

  @Override
  public void close() {
    if (transport != null) {
      transport.close();
    }
  }

  private final class Listener implements GroupListener {
    @Override
    public void received(NodeId from, ByteBuf message) {
      received.add(new Received(from, TestMessage.read(message)));
    }

    @Override
    public void connected(NodeId peer) {
      connections.add(peer);
    }

    @Override
    public void reachabilityChanged() {
      // Not recorded.
    }

    @Override
    public CompletionStage<ByteBuffer> onRequest(NodeId from, ByteBuffer request) {
      return responses.apply(from, request);
    }
  }

  private final class Events implements PeerEvents {
    @Override
    public void acceptedBy(NodeId peer) {
      acceptances.add(peer);
    }

    @Override
    public void refusedBy(NodeId peer, RefusalReason reason, String detail) {
      refusals.add(reason);
    }

    @Override
    public void failed(IOException why) {
      failures.add(why);
    }
  }
}
