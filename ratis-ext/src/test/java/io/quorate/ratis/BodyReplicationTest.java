package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failures;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.BodyReplication.Condition;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.SettingException;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.ratis.BodyCluster.Proposal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies in the real engine, over real sockets and files. */
class BodyReplicationTest {
  private static final int BYTES = 1 << 20;

  /** Longer than any test. */
  private static final String NEVER = "1m";

  private static final KeyScope SCOPE = KeyScope.key(Key.utf8("k"));

  @TempDir Path directory;

  private BodyCluster cluster;
  private NodeId leader;

  private void start(int nodes, String... settings) throws IOException {
    Map<String, String> coded = new HashMap<>();
    for (int i = 0; i < settings.length; i += 2) {
      coded.put(settings[i], settings[i + 1]);
    }
    cluster = new BodyCluster(directory, nodes, coded);
    cluster.start();
    leader = cluster.awaitLeader();
  }

  @AfterEach
  void closeAndCheck() throws IOException {
    if (cluster != null) {
      cluster.close();
      assertThat(cluster.nodes().violations()).isEmpty();
    }
  }

  private CompletableFuture<ByteBuffer> read(NodeId node, BodyReference reference) {
    return cluster.bodies(node).read(reference).toCompletableFuture();
  }

  private List<String> commands(NodeId node) {
    return cluster.nodes().node(node).machine().commands();
  }

  /** With k = F + 1, all servers hold the body before its header is proposed. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void eachFollowerHoldsOnlyAFragment(int nodes) throws IOException {
    // Several chunks for each fragment, of which the last one is shorter.
    start(nodes, "fallback-after", NEVER, "timeout", NEVER, "chunk-size", "100KiB");
    Proposal proposal = cluster.propose(leader, "put", BYTES + 1);
    BodyReference reference = proposal.awaitReference();
    int fragmentBytes = (BYTES + 1 + nodes / 2) / (nodes / 2 + 1);

    assertThat(commands(leader)).containsExactly("put");
    assertThat(cluster.isComplete(leader, reference)).isTrue();
    for (NodeId follower : cluster.runningBeside(leader)) {
      // The last data fragment may be shorter.
      assertThat(cluster.held(follower, reference).remaining())
          .isBetween(2 + fragmentBytes - nodes / 2, 2 + fragmentBytes);
      assertThat(cluster.store(follower).fileBytes())
          .isBetween(fragmentBytes - 4096L, fragmentBytes + 4096L);
    }
    assertThat(read(leader, reference).join()).isEqualTo(proposal.body);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void aNewLeaderRestoresABodyOnce(int nodes) throws IOException {
    start(nodes, "chunk-size", "100KiB");
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    BodyReference reference = proposal.awaitReference();
    NodeId next = cluster.runningBeside(leader).get(0);
    cluster.transferTo(next);

    assertThat(List.of(read(next, reference), read(next, reference)))
        .allSatisfy(read -> assertThat(read.join()).isEqualTo(proposal.body));
    await().atMost(PATIENCE).until(() -> cluster.isComplete(next, reference));
    cluster.stop(cluster.runningBeside(next));
    assertThat(read(next, reference).join()).isEqualTo(proposal.body);
  }

  @Test
  void aNewTermNumbersItsBodiesAnew() throws IOException {
    start(3);
    BodyReference first = cluster.propose(leader, "a", BYTES).awaitReference();
    BodyReference second = cluster.propose(leader, "b", BYTES).awaitReference();
    NodeId next = cluster.runningBeside(leader).get(0);
    cluster.transferTo(next);
    BodyReference third = cluster.propose(next, "c", BYTES).awaitReference();
    assertThat(List.of(first.number(), second.number(), third.number()))
        .containsExactly(0L, 1L, 0L);
    assertThat(second.epoch()).isEqualTo(first.epoch());
    assertThat(third.epoch()).isGreaterThan(second.epoch());
  }

  /**
   * Ratis regards a leader as ready before it delivers the first entry of the leader's term, which
   * is a configuration.
   */
  @Test
  void aNewLeaderServesOnceItAcceptsBodies() throws IOException {
    start(3);
    NodeId next = cluster.runningBeside(leader).get(0);
    ConsensusGroup group = cluster.nodes().node(next).group();
    cluster.propose(leader, "first", BYTES).awaitReference();
    await().atMost(PATIENCE).until(() -> commands(next).contains("first"));
    CompletableFuture<Void> delivery = new CompletableFuture<>();
    Set<Thread> delivering = ConcurrentHashMap.newKeySet();
    RaftPoints.MEMBERS_COMMITTED.on((point, region) -> delivering.add(Thread.currentThread()));
    RaftPoints.BEFORE_HAND_OVER.on(
        (point, region) -> {
          if (delivering.contains(Thread.currentThread())) {
            delivery.join();
          }
        });
    try {
      CompletableFuture<Void> transfer = transferTo(next);
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  group
                      .readIndex(Guarantee.LINEARIZABLE, SCOPE)
                      .toCompletableFuture()
                      .handle((index, e) -> e == null)
                      .join());
      assertThat(group.view().serving()).isFalse();
      assertThat(cluster.propose(next, "put", BYTES).outcome().handle((done, e) -> e).join())
          .isInstanceOf(ConsensusException.Unavailable.class);
      delivery.complete(null);
      transfer.join();
    } finally {
      RaftPoints.MEMBERS_COMMITTED.off();
      RaftPoints.BEFORE_HAND_OVER.off();
      delivery.complete(null);
    }
    await().atMost(PATIENCE).until(() -> group.view().serving());
    cluster.propose(next, "put", BYTES).awaitReference();
  }

  private CompletableFuture<Void> transferTo(NodeId next) {
    return cluster
        .nodes()
        .node(leader)
        .group()
        .control(Leadership.class)
        .orElseThrow()
        .transferTo(next, PATIENCE)
        .toCompletableFuture();
  }

  @Test
  void aFollowerRefersToTheLeader() throws IOException {
    start(3);
    NodeId follower = cluster.runningBeside(leader).get(0);
    Proposal refused = cluster.propose(follower, "put", BYTES);
    assertThat(refused.outcome().handle((done, failure) -> failure).join())
        .isInstanceOf(ConsensusException.Redirect.class);
    assertThat(refused.references).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void withTheFewestServersCompleteCopiesAreSent(int nodes) throws IOException {
    start(nodes, "fallback-after", "50ms");
    List<NodeId> followers = cluster.runningBeside(leader);
    cluster.stop(followers.subList(0, nodes / 2));
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    BodyReference reference = proposal.awaitReference();
    assertThat(commands(leader)).containsExactly("put");
    for (NodeId follower : cluster.runningBeside(leader)) {
      assertThat(cluster.isComplete(follower, reference)).isTrue();
      assertThat(read(follower, reference).join()).isEqualTo(proposal.body);
    }
  }

  /** It responds to Raft all the time: its body store alone hangs. */
  @Test
  void aFollowerWithASlowDiskHoldsUpOneBodyOnly() throws IOException {
    start(3, "timeout", NEVER);
    NodeId slow = cluster.runningBeside(leader).get(0);
    NodeId prompt = cluster.runningBeside(leader).get(1);
    CompletableFuture<Void> disk = cluster.gate(slow).hold();
    BodyReference first = cluster.propose(leader, "first", BYTES).awaitReference();
    assertThat(puts(prompt, first)).as("a fragment, then a complete copy").isEqualTo(2);
    BodyReference second = cluster.propose(leader, "second", BYTES).awaitReference();
    assertThat(puts(prompt, second)).as("a complete copy at once").isEqualTo(1);
    assertThat(cluster.isComplete(prompt, second)).isTrue();

    cluster.gate(slow).passOthers();
    disk.complete(null);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              BodyReference later = cluster.propose(leader, "later", BYTES).awaitReference();
              assertThat(cluster.isComplete(prompt, later)).as("fragments again").isFalse();
            });
  }

  private int puts(NodeId node, BodyReference reference) {
    return cluster.gate(node).puts(reference.in(cluster.nodes().spec().group()));
  }

  @Test
  void withoutTheFallbackTooFewHoldersAreUnavailable() throws IOException {
    start(3, "fallback", "off", "timeout", "500ms");
    NodeId stopped = cluster.runningBeside(leader).get(0);
    cluster.stop(List.of(stopped));
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    assertThat(awaitFailure(proposal.outcome()))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("coded.timeout");
    assertThat(proposal.references).isEmpty();
    assertThat(cluster.nodes().propose("later").position()).isNotNull();
    assertThat(commands(leader)).containsExactly("later");
  }

  private static Throwable awaitFailure(CompletableFuture<?> stage) {
    await().atMost(PATIENCE).until(stage::isDone);
    return Failures.unwrap(stage.handle((done, failure) -> failure).join());
  }

  /** Rule 2 of the decision 0029. */
  @Test
  void noHeaderIsProposedBeforeEnoughServersHoldTheBody() throws IOException {
    start(3, "fallback-after", NEVER, "timeout", NEVER);
    List<NodeId> followers = cluster.runningBeside(leader);
    CompletableFuture<Void> first = cluster.gate(followers.get(0)).hold();
    CompletableFuture<Void> second = cluster.gate(followers.get(1)).hold();
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    await()
        .atMost(PATIENCE)
        .until(() -> followers.stream().allMatch(node -> cluster.gate(node).held() == 1));
    assertThat(proposal.references).isEmpty();

    first.complete(null);
    await()
        .atMost(PATIENCE)
        .until(() -> !cluster.store(followers.get(0)).bodiesOf(group()).isEmpty());
    cluster.nodes().propose("other");
    assertThat(proposal.references).isEmpty();
    assertThat(commands(leader)).containsExactly("other");

    second.complete(null);
    proposal.awaitReference();
    assertThat(commands(leader)).containsExactly("other", "put");
  }

  private GroupId group() {
    return cluster.nodes().spec().group();
  }

  @Test
  void theFloorIsTheLowestBodyThatIsNotProposed() throws IOException {
    start(3, "fallback-after", NEVER, "timeout", NEVER);
    NodeId slow = cluster.runningBeside(leader).get(0);
    CompletableFuture<Void> held = cluster.gate(slow).hold();
    Proposal first = cluster.propose(leader, "a", BYTES);
    await().atMost(PATIENCE).until(() -> cluster.gate(slow).held() == 1);
    cluster.gate(slow).passOthers();

    BodyReference second = cluster.propose(leader, "b", BYTES).awaitReference();
    assertThat(List.of(second.number(), second.floor())).containsExactly(1L, 0L);
    held.complete(null);
    assertThat(first.awaitReference().floor()).isZero();
    BodyReference third = cluster.propose(leader, "c", BYTES).awaitReference();
    assertThat(List.of(third.number(), third.floor())).containsExactly(2L, 2L);
  }

  /** Of five servers, the one with the complete copy has failed; three fragments are needed. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aCorruptFragmentDoesNotCount(int corrupt) throws IOException {
    start(5);
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    BodyReference reference = proposal.awaitReference();
    NodeId next = cluster.runningBeside(leader).get(0);
    cluster.transferTo(next);
    cluster.stop(List.of(leader));
    for (NodeId follower : cluster.runningBeside(next).subList(0, corrupt)) {
      cluster.corrupt(follower, reference);
    }
    if (corrupt == 1) {
      assertThat(read(next, reference).join()).isEqualTo(proposal.body);
    } else {
      assertThatThrownBy(() -> read(next, reference).join())
          .hasCauseInstanceOf(ConsensusException.Unavailable.class)
          .hasMessageContaining("2 of the 3 fragments that it needs were found at 5 replicas");
    }
  }

  @Test
  void aDamagedCompleteCopyIsRestored() throws IOException {
    start(5);
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    BodyReference reference = proposal.awaitReference();
    cluster.corrupt(leader, reference);
    assertThat(read(leader, reference).join()).isEqualTo(proposal.body);
    cluster.stop(cluster.runningBeside(leader));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(read(leader, reference).join()).isEqualTo(proposal.body));
  }

  @Test
  void aBodyThatNoNodeHoldsIsUnavailable() throws IOException {
    start(3);
    BodyReference held = cluster.propose(leader, "put", BYTES).awaitReference();
    BodyReference missing = new BodyReference(held.epoch(), 77, 0, held.length(), held.layout());
    assertThatThrownBy(() -> read(leader, missing).join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("0 of the 2 fragments");
  }

  @Test
  void aRoundEndsWithItsTerm() throws IOException {
    start(3, "fallback-after", NEVER, "timeout", NEVER);
    NodeId next = cluster.runningBeside(leader).get(0);
    CompletableFuture<Void> held = cluster.gate(next).hold();
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    await().atMost(PATIENCE).until(() -> cluster.gate(next).held() == 1);
    cluster.transferTo(next);
    assertThat(awaitFailure(proposal.outcome())).isInstanceOf(ConsensusException.Redirect.class);
    held.complete(null);
    assertThat(proposal.references).isEmpty();
  }

  private CompletableFuture<Condition> restore(NodeId node, BodyReference reference) {
    return cluster.bodies(node).restore(reference).toCompletableFuture();
  }

  @Test
  void aMissingFragmentIsRestoredFromACompleteCopy() throws IOException {
    start(3, "fallback-after", NEVER, "timeout", NEVER);
    BodyReference reference = cluster.propose(leader, "put", BYTES).awaitReference();
    NodeId follower = cluster.runningBeside(leader).get(0);
    ByteBuffer fragment = cluster.held(follower, reference);
    cluster.stop(cluster.runningBeside(leader).subList(1, 2));
    cluster.remove(follower, reference);
    assertThat(restore(follower, reference).join()).isEqualTo(Condition.MISSING);
    assertThat(cluster.held(follower, reference)).isEqualTo(fragment);
    assertThat(restore(follower, reference).join()).isEqualTo(Condition.INTACT);
  }

  @Test
  void aMissingFragmentIsRestoredFromFragments() throws IOException {
    start(5, "fallback-after", NEVER, "timeout", NEVER, "chunk-size", "100KiB");
    BodyReference reference = cluster.propose(leader, "put", BYTES).awaitReference();
    NodeId follower = cluster.runningBeside(leader).get(0);
    ByteBuffer fragment = cluster.held(follower, reference);
    cluster.stop(List.of(leader));
    cluster.remove(follower, reference);
    assertThat(restore(follower, reference).join()).isEqualTo(Condition.MISSING);
    assertThat(cluster.held(follower, reference)).isEqualTo(fragment);
  }

  /** Whatever it was, it may have been counted as a complete copy. */
  @Test
  void aDamagedRecordIsReplacedByACompleteCopy() throws IOException {
    start(3, "fallback-after", NEVER, "timeout", NEVER);
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    BodyReference reference = proposal.awaitReference();
    for (NodeId node : List.of(leader, cluster.runningBeside(leader).get(0))) {
      cluster.corrupt(node, reference);
      assertThat(restore(node, reference).join()).isEqualTo(Condition.DAMAGED);
      assertThat(cluster.isComplete(node, reference)).isTrue();
      assertThat(read(node, reference).join()).isEqualTo(proposal.body);
    }
  }

  @Test
  void whatIsIntactIsNotWrittenAgain() throws IOException {
    start(3, "fallback-after", NEVER, "timeout", NEVER);
    BodyReference reference = cluster.propose(leader, "put", BYTES).awaitReference();
    for (NodeId node : cluster.nodes().running().keySet()) {
      assertThat(restore(node, reference).join()).isEqualTo(Condition.INTACT);
      assertThat(puts(node, reference)).isEqualTo(1);
    }
    assertThat(cluster.isComplete(leader, reference)).isTrue();
  }

  @Test
  void withTooFewReplicasNothingIsRestored() throws IOException {
    start(3, "fallback-after", NEVER, "timeout", NEVER, "fetch-timeout", "500ms");
    BodyReference reference = cluster.propose(leader, "put", BYTES).awaitReference();
    NodeId follower = cluster.runningBeside(leader).get(0);
    cluster.stop(List.of(leader));
    cluster.remove(follower, reference);
    assertThat(awaitFailure(restore(follower, reference)))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("1 of the 2 fragments");
    assertThat(cluster.store(follower).contains(cluster.id(reference))).isFalse();
  }

  @Test
  void aReadDuringARestorationLeavesACompleteCopy() throws IOException {
    start(3, "fallback-after", NEVER, "timeout", NEVER);
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    BodyReference reference = proposal.awaitReference();
    NodeId follower = cluster.runningBeside(leader).get(0);
    cluster.remove(follower, reference);
    CompletableFuture<Condition> restoration = restore(follower, reference);
    assertThat(read(follower, reference).join()).isEqualTo(proposal.body);
    restoration.join();
    await().atMost(PATIENCE).until(() -> cluster.isComplete(follower, reference));
  }

  @Test
  void aClosingReplicaFailsItsRounds() throws IOException {
    start(3, "fallback-after", NEVER, "timeout", NEVER);
    CompletableFuture<Void> held = cluster.gate(cluster.runningBeside(leader).get(0)).hold();
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    cluster.nodes().node(leader).group().close();
    assertThat(awaitFailure(proposal.outcome())).isInstanceOf(ConsensusException.Unavailable.class);
    assertThat(proposal.references).isEmpty();
    held.complete(null);
  }

  /** The follower that is held back occupies the only place, also after the others suffice. */
  @Test
  void bodiesInFlightAreBounded() throws IOException {
    start(3, "bodies-in-flight-max", "1", "fallback-after", "50ms", "timeout", NEVER);
    NodeId slow = cluster.runningBeside(leader).get(0);
    CompletableFuture<Void> held = cluster.gate(slow).hold();
    cluster.propose(leader, "a", BYTES).awaitReference();
    assertThat(cluster.propose(leader, "refused", BYTES).outcome().handle((d, f) -> f).join())
        .isInstanceOf(ConsensusException.Overloaded.class);
    held.complete(null);
    for (String command : List.of("b", "c", "d")) {
      proposeUntilAccepted(command).awaitReference();
    }
    assertThat(commands(leader)).containsExactly("a", "b", "c", "d");
  }

  private Proposal proposeUntilAccepted(String command) {
    return await()
        .atMost(PATIENCE)
        .until(
            () -> cluster.propose(leader, command, BYTES),
            proposal -> !proposal.outcome().isCompletedExceptionally());
  }

  @Test
  void aChunkFitsAFrame() {
    assertThatThrownBy(() -> start(3, "chunk-size", "5MiB"))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("coded.chunk-size");
  }

  @Test
  void withoutCodedReplicationThereIsNoControl() throws IOException {
    try (ContractCluster plain =
        new ContractCluster(
            new RatisEngineProvider(),
            new EngineSettings("raft", FastSettings.with(Map.of())),
            directory,
            1)) {
      plain.startAll();
      assertThat(plain.awaitServing().group().control(BodyReplication.class)).isEmpty();
    }
  }
}
