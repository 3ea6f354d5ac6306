package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.RecordingMachine;
import io.quorate.model.NodeId;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.body.BodyStoreOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Nodes that replicate bodies, each with a body store whose writes can be held back. */
final class BodyCluster implements AutoCloseable {
  /** What became of a proposed body. */
  static final class Proposal {
    final ByteBuffer body;

    /** The references with which the command was created: at most one. */
    final List<BodyReference> references = new CopyOnWriteArrayList<>();

    private CompletableFuture<ProposeResult> outcome;

    private Proposal(ByteBuffer body) {
      this.body = body;
    }

    CompletableFuture<ProposeResult> outcome() {
      return outcome;
    }

    /** Waits until the command is applied. */
    BodyReference awaitReference() {
      outcome.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
      return references.get(0);
    }
  }

  private final Path directory;
  private final ContractCluster cluster;
  private final Map<NodeId, BodyStore> stores = new TreeMap<>();
  private final Map<NodeId, GatedBodies> gates = new TreeMap<>();
  private final Random random = new Random(1);

  /**
   * @param coded settings of coded replication
   */
  BodyCluster(Path directory, int nodes, Map<String, String> coded) throws IOException {
    this(directory, prefixed(coded), nodes);
  }

  private BodyCluster(Path directory, Map<String, String> settings, int nodes) throws IOException {
    cluster =
        new ContractCluster(
            new RatisEngineProvider(),
            new EngineSettings("raft", FastSettings.with(settings)),
            directory.resolve("engines"),
            nodes);
    this.directory = directory;
    for (Member member : cluster.firstMembers()) {
      openBodies(member.node());
    }
  }

  /** Nodes whose groups hibernate soon. */
  static BodyCluster hibernating(Path directory, int nodes) throws IOException {
    BodyCluster cluster =
        new BodyCluster(
            directory, Map.of("hibernate-after", "1s", "groups-running-min", "0"), nodes);
    cluster.cluster.hibernate();
    return cluster;
  }

  private void openBodies(NodeId node) throws IOException {
    Path files = directory.resolve("bodies").resolve(node.value());
    stores.put(node, BodyStore.open(files, BodyStoreOptions.DEFAULT, failure -> {}));
    gates.put(node, new GatedBodies(stores.get(node)));
    cluster.replicateBodies(node, gates.get(node));
  }

  /** Starts a node that is to join the group. */
  Member startJoiner(String name) throws IOException {
    openBodies(new NodeId(name));
    return cluster.startJoiner(name);
  }

  private static Map<String, String> prefixed(Map<String, String> coded) {
    Map<String, String> keys = new HashMap<>();
    coded.forEach((key, value) -> keys.put("coded." + key, value));
    return keys;
  }

  void start() throws IOException {
    cluster.startAll();
  }

  ContractCluster nodes() {
    return cluster;
  }

  BodyStore store(NodeId node) {
    return stores.get(node);
  }

  GatedBodies gate(NodeId node) {
    return gates.get(node);
  }

  /** The nodes that run, except one. */
  List<NodeId> runningBeside(NodeId node) {
    List<NodeId> others = new ArrayList<>(cluster.running().keySet());
    others.remove(node);
    return others;
  }

  BodyReplication bodies(NodeId node) {
    return cluster.node(node).group().control(BodyReplication.class).orElseThrow();
  }

  /** Proposes a random body of so many bytes. */
  Proposal propose(NodeId at, String command, int bytes) {
    byte[] body = new byte[bytes];
    random.nextBytes(body);
    Proposal proposal = new Proposal(ByteBuffer.wrap(body));
    proposal.outcome =
        bodies(at)
            .propose(
                proposal.body.duplicate(),
                reference -> {
                  proposal.references.add(reference);
                  return new Command(RecordingMachine.utf8(command));
                })
            .toCompletableFuture();
    return proposal;
  }

  /**
   * Waits for a leader that accepts proposals and that all running nodes know, so that none of them
   * is about to stand for election. Counts as a use of the group.
   */
  NodeId awaitLeader() {
    return await()
        .atMost(PATIENCE)
        .until(
            () -> {
              cluster.running().values().forEach(node -> node.group().control(Leadership.class));
              return cluster.awaitServingId();
            },
            leader -> runningBeside(leader).stream().allMatch(node -> knows(node, leader)));
  }

  private boolean knows(NodeId node, NodeId leader) {
    return cluster.node(node).group().view().leader().filter(leader::equals).isPresent();
  }

  /** Waits until a node leads, to which whichever node leads transfers the leadership. */
  void transferTo(NodeId to) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              if (!cluster.node(to).group().view().serving()) {
                cluster
                    .node(cluster.awaitServingId())
                    .group()
                    .control(Leadership.class)
                    .orElseThrow()
                    .transferTo(to, Duration.ofSeconds(10))
                    .toCompletableFuture()
                    .join();
              }
              return cluster.node(to).group().view().serving();
            });
  }

  void stop(Collection<NodeId> nodes) {
    cluster.stop(nodes);
  }

  /** What a node holds of a body: its form in one byte, its index in another, its content. */
  ByteBuffer held(NodeId node, BodyReference reference) throws IOException {
    return stores.get(node).get(id(reference)).orElseThrow();
  }

  boolean isComplete(NodeId node, BodyReference reference) throws IOException {
    return held(node, reference).remaining() == 2 + reference.length();
  }

  /** Waits until every replica hibernates. */
  void awaitAllHibernate() {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                cluster.running().values().stream()
                    .allMatch(node -> node.group().view().hibernating()));
  }

  /** Removes what a node holds. */
  void remove(NodeId node, BodyReference reference) {
    stores.get(node).remove(List.of(id(reference)));
    await().atMost(PATIENCE).until(() -> !stores.get(node).contains(id(reference)));
  }

  /** Changes a byte of what a node holds; its store does not notice. */
  void corrupt(NodeId node, BodyReference reference) throws IOException {
    ByteBuffer held = held(node, reference);
    ByteBuffer changed = ByteBuffer.allocate(held.remaining()).put(held).flip();
    int at = changed.limit() / 2;
    changed.put(at, (byte) ~changed.get(at));
    stores.get(node).put(id(reference), List.of(changed)).join();
  }

  BodyId id(BodyReference reference) {
    return reference.in(cluster.spec().group());
  }

  @Override
  public void close() throws IOException {
    cluster.close();
    for (BodyStore store : stores.values()) {
      store.close();
    }
  }
}
