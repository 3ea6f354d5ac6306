package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.erasure.CodeShape;
import io.quorate.replication.erasure.CodedValueHeader;
import io.quorate.replication.erasure.ErasureCodes;
import io.quorate.replication.erasure.ValueCoder;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.body.BodyStoreOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two groups of one node, whose workers do nothing: each body stays in flight. */
class BodyBudgetsTest {
  private static final int MIB = 1 << 20;
  private static final NodeId SELF = new NodeId("n1");
  private static final List<NodeId> MEMBERS = List.of(SELF, new NodeId("n2"), new NodeId("n3"));

  @TempDir Path directory;

  private BodyStore store;
  private BodyNode node;

  @BeforeEach
  void open() throws IOException {
    store = BodyStore.open(directory, BodyStoreOptions.DEFAULT, failure -> {});
    CodedSettings settings =
        CodedSettings.from(
            new EngineSettings("raft", Map.of("coded.bodies-in-flight-size-max", "2MiB")), 4 << 20);
    node =
        new BodyNode(
            SELF,
            settings,
            store,
            new ValueCoder(new ErasureCodes()::code),
            task -> {},
            MetricsSink.NONE,
            BodyBudgets.of(settings));
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private BodyProposer proposer(GroupId group) {
    Replica leader =
        new Replica(
            () -> new Standing(1, true, Optional.of(SELF)),
            () -> GroupMembers.stable(MEMBERS),
            List::of,
            members -> {},
            command -> new CompletableFuture<>());
    BodyMetrics metrics = new BodyMetrics(MetricsSink.NONE, group);
    LocalBodies local = new LocalBodies(store, node.workers());
    BodyPeers peers = new BodyPeers(null, Set::of, node.settings(), metrics);
    return new BodyProposer(group, node, local, peers, leader, metrics);
  }

  private BodyReader reader(GroupId group) {
    BodyMetrics metrics = new BodyMetrics(MetricsSink.NONE, group);
    LocalBodies local = new LocalBodies(store, node.workers());
    return new BodyReader(
        group, node, local, new BodyPeers(null, Set::of, node.settings(), metrics), metrics);
  }

  private static CompletableFuture<ProposeResult> propose(BodyProposer proposer, int bytes) {
    return proposer.propose(
        ByteBuffer.allocate(bytes), body -> new Command(ByteBuffer.allocate(1)));
  }

  private static void assertOverloaded(CompletableFuture<?> call) {
    assertThatThrownBy(call::join)
        .hasCauseInstanceOf(ConsensusException.Overloaded.class)
        .hasMessageContaining("coded.bodies-in-flight-size-max");
  }

  @Test
  void groupsShareTheBytesThatTheNodeReplicatesWithParity() {
    BodyProposer one = proposer(new GroupId(1));
    BodyProposer other = proposer(new GroupId(2));
    assertThat(propose(one, MIB)).isNotDone();
    assertThat(node.budgets().outgoing().bytes()).isEqualTo(MIB + MIB / 2);
    assertOverloaded(propose(other, MIB));
    one.close();
    assertThat(node.budgets().outgoing().bytes()).isZero();
    assertThat(propose(other, MIB)).isNotDone();
  }

  @Test
  void groupsShareTheBytesThatTheNodeReads() {
    ByteBuffer layout =
        new BodyLayout(
                new CodedValueHeader(new CodeShape(2, 1), MIB + 1, 0, List.of(0, 0, 0)), MEMBERS)
            .encode();
    BodyReference body = new BodyReference(1, 0, 0, MIB + 1, layout);
    BodyReader one = reader(new GroupId(1));
    assertThat(one.read(body)).isNotDone();
    assertOverloaded(reader(new GroupId(2)).read(body));
    one.close();
    assertThat(reader(new GroupId(2)).read(body)).isNotDone();
  }
}
