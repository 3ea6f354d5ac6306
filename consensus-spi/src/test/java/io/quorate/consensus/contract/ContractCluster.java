package io.quorate.consensus.contract;

import static org.awaitility.Awaitility.await;

import io.quorate.common.LoopbackPorts;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.GroupSpec.Activation;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.KnownNodes;
import io.quorate.consensus.Member;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** One group on several nodes in this JVM, over real sockets and files. */
public final class ContractCluster implements AutoCloseable {
  /** The time within which an awaited event must happen. */
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
  private final Set<NodeId> joined = new HashSet<>();
  private final Map<NodeId, InetSocketAddress> advertised = new ConcurrentHashMap<>();
  private final Map<NodeId, RecordingMachine.Disk> disks = new TreeMap<>();
  private final Map<NodeId, RecordedReplicas> begun = new TreeMap<>();
  private final Map<NodeId, Node> running = new TreeMap<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> executed = new HashMap<>();
  private final Map<NodeId, BodyStorage> bodies = new HashMap<>();
  private boolean hibernates;

  public ContractCluster(
      ConsensusEngineProvider provider, EngineSettings settings, Path directory, int nodes) {
    this.provider = provider;
    this.settings = settings;
    this.directory = directory;
    for (int i = 1; i <= nodes; i++) {
      members.add(member(new NodeId("n" + i)));
    }
  }

  /** Lets engines open the state of a group again that has hibernated. */
  public ContractCluster hibernate() {
    hibernates = true;
    return this;
  }

  public ContractCluster startAll() throws IOException {
    startStopped();
    return this;
  }

  /**
   * Makes nodes that are started from now on connect to another address than the one on which a
   * node listens.
   */
  public void advertise(NodeId id, InetSocketAddress address) {
    advertised.put(id, address);
  }

  /**
   * Makes a node replicate large values as bodies, which it keeps in {@code storage}, when it is
   * started from now on.
   */
  public void replicateBodies(NodeId id, BodyStorage storage) {
    bodies.put(id, storage);
  }

  /** Starts the initial members that are not running. */
  public void startStopped() throws IOException {
    for (Member member : members) {
      if (!running.containsKey(member.node())) {
        start(member.node());
      }
    }
  }

  private Member member(NodeId id) {
    disks.put(id, new RecordingMachine.Disk());
    Member member = new Member(id, freeAddress());
    advertised.put(id, member.address());
    return member;
  }

  private static InetSocketAddress freeAddress() {
    return InetSocketAddress.createUnresolved("127.0.0.1", LoopbackPorts.next());
  }

  /** The specification with which every node opens the group. */
  public GroupSpec spec() {
    return new GroupSpec(cluster, new GroupId(1), members, Optional.empty());
  }

  /** A node that is not among the members joins by the first change. */
  private GroupSpec spec(NodeId id, List<Member> present) {
    return new GroupSpec(
        cluster,
        spec().group(),
        present,
        Optional.empty(),
        Activation.ON_USE,
        joined.contains(id) ? 1 : 0,
        0);
  }

  /** The initial members of the group. */
  public List<Member> firstMembers() {
    return List.copyOf(members);
  }

  /** Starts a node that is to join the group. */
  public Member startJoiner(String name) throws IOException {
    Member joiner = member(new NodeId(name));
    joiners.add(joiner);
    joined.add(joiner.node());
    start(joiner.node());
    return joiner;
  }

  public void start(NodeId id) throws IOException {
    start(id, settings);
  }

  /** Starts a node with settings of its own. */
  public void start(NodeId id, EngineSettings settings) throws IOException {
    Member self =
        Stream.concat(members.stream(), joiners.stream())
            .filter(member -> member.node().equals(id))
            .findFirst()
            .orElseThrow();
    Path files = Files.createDirectories(directory.resolve(id.value()));
    ConsensusEngine engine =
        provider.start(
            new EngineContext(
                cluster,
                id,
                self.address(),
                new KnownNodes(
                    node -> Optional.ofNullable(advertised.get(node)).stream().toList(),
                    NodeDisks.unregistered()),
                files,
                settings,
                MetricsSink.NONE,
                Optional.ofNullable(bodies.get(id)),
                begun.computeIfAbsent(id, node -> new RecordedReplicas()),
                fatal -> violations.add("fatal: " + fatal.getMessage())));
    RecordingMachine machine = new RecordingMachine(disks.get(id), violations, hibernates);
    try {
      running.put(id, new Node(engine, engine.open(spec(id, members), machine), machine));
    } catch (IOException | RuntimeException e) {
      engine.close();
      throw e;
    }
  }

  /** The records of a node are lost with its disk. */
  public void forgetBegun(NodeId id) {
    begun.get(id).remove(spec().group());
  }

  /**
   * Removes the replica of a running node, and opens it again without a state.
   *
   * @param present the members of the group with which it is opened
   */
  public void replaceByEmpty(NodeId id, List<Member> present) throws IOException {
    Node former = running.remove(id);
    forgetBegun(id);
    former.engine().remove(spec().group());
    disks.put(id, new RecordingMachine.Disk());
    RecordingMachine machine = new RecordingMachine(disks.get(id), violations, hibernates);
    if (present.stream().noneMatch(member -> member.node().equals(id))) {
      joined.add(id);
    }
    running.put(
        id, new Node(former.engine(), former.engine().open(spec(id, present), machine), machine));
  }

  /** Opens one more group with the same members at a node that runs, until the node stops. */
  public ConsensusGroup openAlso(NodeId id, GroupId group, Activation activation)
      throws IOException {
    return node(id)
        .engine()
        .open(
            new GroupSpec(
                spec().cluster(), group, spec().members(), Optional.empty(), activation, 0, 0),
            new RecordingMachine(new RecordingMachine.Disk(), violations, hibernates));
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

  /** Waits until a replica accepts proposals. */
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

  /**
   * Proposes a command to a replica that accepts proposals, and retries until it is acknowledged or
   * known to have taken effect; the command is executed once. Not for commands that are also
   * proposed elsewhere.
   */
  public ProposeResult propose(String command) {
    ProposeResult outcome =
        await()
            .atMost(PATIENCE)
            .pollDelay(Duration.ZERO)
            .pollInterval(POLL)
            .until(() -> proposeOnce(command), Optional::isPresent)
            .orElseThrow();
    executed.merge(command, 1, Integer::sum);
    return outcome;
  }

  private Optional<ProposeResult> proposeOnce(String command) {
    try {
      return Optional.of(proposeAt(awaitServing(), command).join());
    } catch (CompletionException e) {
      return e.getCause() instanceof ConsensusException.Indeterminate
          ? resolve(command)
          : Optional.empty();
    }
  }

  /**
   * Determines whether an indeterminate command has taken effect: after a linearizable read, it no
   * longer can.
   */
  private Optional<ProposeResult> resolve(String command) {
    return await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(CompletionException.class)
        .until(
            () -> {
              Node node = awaitServing();
              KeyScope scope = KeyScope.key(Key.utf8(command));
              Position readIndex =
                  node.group()
                      .readIndex(Guarantee.LINEARIZABLE, scope)
                      .toCompletableFuture()
                      .join();
              awaitApplied(node, readIndex);
              return Optional.of(
                  Collections.frequency(node.machine().commands(), command)
                          > executed.getOrDefault(command, 0)
                      ? Optional.of(
                          new ProposeResult(readIndex, RecordingMachine.utf8("did " + command)))
                      : Optional.<ProposeResult>empty());
            },
            Optional::isPresent)
        .orElseThrow();
  }

  /** Waits until a replica has applied all batches up to a position. */
  public static void awaitApplied(Node node, Position position) {
    await().atMost(PATIENCE).until(() -> node.machine().applied().covers(position));
  }

  public static CompletableFuture<ProposeResult> proposeAt(Node node, String command) {
    return node.group().propose(new Command(RecordingMachine.utf8(command))).toCompletableFuture();
  }

  /** Violations of the contract by the engine. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  @Override
  public void close() {
    stop(List.copyOf(running.keySet()));
  }
}
