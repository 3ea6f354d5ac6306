package io.quorate.rabia.transport;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.loopback.LoopbackPorts;
import io.quorate.rabia.protocol.Message;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;

/** A node with one group that writes down what it hears. It can be started again on its port. */
final class TransportNode implements AutoCloseable {
  static final UUID CLUSTER = new UUID(1, 2);
  static final GroupId GROUP = new GroupId(7);

  record Heard(NodeId from, Message message) {}

  final NodeId id;
  final Path directory;
  final Map<String, String> settings =
      new HashMap<>(Map.of("reconnect-min", "5ms", "reconnect-max", "40ms"));
  final List<Heard> heard = new CopyOnWriteArrayList<>();
  final List<NodeId> connections = new CopyOnWriteArrayList<>();
  final List<NodeId> acceptances = new CopyOnWriteArrayList<>();
  final List<RefusalReason> refusals = new CopyOnWriteArrayList<>();
  final List<IOException> failures = new CopyOnWriteArrayList<>();
  final CountingTelemetry telemetry = new CountingTelemetry();

  /** What is answered to whom asks. */
  volatile BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> answers =
      (from, request) -> CompletableFuture.completedFuture(request);

  UUID cluster = CLUSTER;
  PeerIdentities identities;
  PeerTransport transport;
  private final List<TransportNode> linked = new ArrayList<>();
  private final int port = LoopbackPorts.next();

  TransportNode(String id, Path root) throws IOException {
    this.id = new NodeId(id);
    this.directory = Files.createDirectories(root.resolve(id));
  }

  TransportNode with(String key, String value) {
    settings.put(key, value);
    return this;
  }

  TransportNode start() throws IOException {
    identities = PeerIdentities.open(directory, cluster, id);
    transport =
        PeerTransport.start(
            TransportSettings.from(new EngineSettings("rabia", settings)),
            new InetSocketAddress("127.0.0.1", port),
            identities,
            events(),
            telemetry);
    transport.join(GROUP, listener());
    linked.forEach(peer -> transport.link(peer.member()));
    return this;
  }

  /** Links them, now and after each start. They have been started before. */
  void link(TransportNode... peers) {
    for (TransportNode peer : peers) {
      linked.add(peer);
      transport.link(peer.member());
    }
  }

  int port() {
    return port;
  }

  Member member() {
    return new Member(id, InetSocketAddress.createUnresolved("127.0.0.1", port));
  }

  void send(Message message, TransportNode... to) {
    transport.send(GROUP, List.of(to).stream().map(node -> node.id).toList(), message);
  }

  boolean isConnectedTo(TransportNode peer) {
    return transport.connected().contains(peer.id);
  }

  /** A message that is told from others by its number. */
  static Message numbered(long number) {
    return new Message.FetchDecisions(number);
  }

  /** The numbers of the messages that came from a node, in the order in which they came. */
  List<Long> numbersFrom(TransportNode from) {
    return heard.stream()
        .filter(each -> each.from().equals(from.id))
        .map(each -> ((Message.FetchDecisions) each.message()).from())
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
    public void received(NodeId from, Message message) {
      heard.add(new Heard(from, message));
    }

    @Override
    public void connected(NodeId peer) {
      connections.add(peer);
    }

    @Override
    public void reachabilityChanged() {
      // Listeners only look again.
    }

    @Override
    public CompletionStage<ByteBuffer> onRequest(NodeId from, ByteBuffer request) {
      return answers.apply(from, request);
    }
  }

  private final class Events implements PeerEvents {
    @Override
    public void acceptedBy(NodeId peer) {
      acceptances.add(peer);
    }

    @Override
    public void refusedBy(NodeId peer, RefusalReason reason, String sentence) {
      refusals.add(reason);
    }

    @Override
    public void failed(IOException why) {
      failures.add(why);
    }
  }
}
