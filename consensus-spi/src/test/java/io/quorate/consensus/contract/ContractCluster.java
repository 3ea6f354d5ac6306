package io.quorate.consensus.contract;

import static org.awaitility.Awaitility.await;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Host;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Outcome;
import io.quorate.consensus.Telemetry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** One group on several nodes in this JVM, over real sockets and files. */
public final class ContractCluster implements AutoCloseable {
  /** How long a test waits for what must happen. */
  public static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration POLL = Duration.ofMillis(10);

  /** A running node. */
  public record Node(ConsensusEngine engine, ConsensusGroup group, RecordingMachine machine) {}

  private final ConsensusEngineProvider provider;
  private final EngineSettings settings;
  private final Path directory;
  private final UUID cluster = UUID.randomUUID();
  private final List<Member> members = new ArrayList<>();
  private final List<Member> joiners = new ArrayList<>();
  private final Map<NodeId, RecordingMachine.Disk> disks = new TreeMap<>();
  private final Map<NodeId, Node> running = new TreeMap<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();

  public ContractCluster(
      ConsensusEngineProvider provider, EngineSettings settings, Path directory, int nodes)
      throws IOException {
    this.provider = provider;
    this.settings = settings;
    this.directory = directory;
    List<ServerSocket> held = new ArrayList<>();
    for (int i = 1; i <= nodes; i++) {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      held.add(socket);
      members.add(member(new NodeId("n" + i), socket));
    }
    for (ServerSocket socket : held) {
      socket.close();
    }
  }

  public ContractCluster startAll() throws IOException {
    for (Member member : members) {
      start(member.node());
    }
    return this;
  }

  private Member member(NodeId id, ServerSocket socket) {
    disks.put(id, new RecordingMachine.Disk());
    return new Member(id, InetSocketAddress.createUnresolved("127.0.0.1", socket.getLocalPort()));
  }

  /** The group as every node opens it. */
  public GroupSpec spec() {
    return new GroupSpec(cluster, new GroupId(1), members, Optional.empty());
  }

  /** The members that the group was formed of. */
  public List<Member> firstMembers() {
    return List.copyOf(members);
  }

  /** Starts a node that is to become a member. */
  public Member startJoiner(String name) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      joiners.add(member(new NodeId(name), socket));
    }
    Member joiner = joiners.get(joiners.size() - 1);
    start(joiner.node());
    return joiner;
  }

  public void start(NodeId id) throws IOException {
    Member self =
        Stream.concat(members.stream(), joiners.stream())
            .filter(member -> member.node().equals(id))
            .findFirst()
            .orElseThrow();
    Path files = Files.createDirectories(directory.resolve(id.value()));
    ConsensusEngine engine =
        provider.start(
            new Host(
                cluster,
                id,
                self.address(),
                files,
                settings,
                Telemetry.NONE,
                fatal -> violations.add("fatal: " + fatal.getMessage())));
    RecordingMachine machine = new RecordingMachine(disks.get(id), violations);
    ConsensusGroup group = engine.open(spec(), machine);
    running.put(id, new Node(engine, group, machine));
  }

  public void stop(NodeId id) {
    stop(List.of(id));
  }

  /** Stops several nodes at once. */
  public void stop(Collection<NodeId> ids) {
    List<CompletableFuture<Void>> stopped =
        ids.stream()
            .map(running::remove)
            .map(node -> CompletableFuture.runAsync(() -> node.engine().close()))
            .toList();
    stopped.forEach(CompletableFuture::join);
  }

  public Map<NodeId, Node> running() {
    return running;
  }

  public Node node(NodeId id) {
    return running.get(id);
  }

  /** Waits until some replica takes proposals. */
  public Node awaitServing() {
    return running.get(awaitServingId());
  }

  public NodeId awaitServingId() {
    return await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(POLL)
        .until(
            () ->
                running.entrySet().stream()
                    .filter(entry -> entry.getValue().group().view().serving())
                    .map(Map.Entry::getKey)
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  /** Proposes, wherever proposals are taken, until one is acknowledged. */
  public Outcome propose(String command) {
    for (Node node : running.values()) {
      if (node.group().view().serving()) {
        try {
          return proposeAt(node, command).join();
        } catch (CompletionException e) {
          break;
        }
      }
    }
    awaitServing();
    return propose(command);
  }

  public static CompletableFuture<Outcome> proposeAt(Node node, String command) {
    return node.group().propose(new Command(RecordingMachine.utf8(command))).toCompletableFuture();
  }

  /** What the engine did that it must not do. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  @Override
  public void close() {
    stop(List.copyOf(running.keySet()));
  }
}
