package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.model.Position;
import io.quorate.protocol.operation.KnownPosition;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A write that is sent several times takes effect once. */
class ExactlyOnceTest {
  private FakeCluster cluster;
  private FakeNode leader;
  private QuorateClient client;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3);
    leader = cluster.node(1);
    client = QuorateClient.connect(options(cluster).build());
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  private void incrementsOnceAfter(Reaction reaction) {
    incrementsOnceAfter(reaction, client);
  }

  private void incrementsOnceAfter(Reaction reaction, QuorateClient incrementer) {
    leader.next(Opcode.WRITE, reaction);
    assertThat(incrementer.incrementAndGet("n", 1)).isEqualTo(1);
    assertThat(cluster.value("n")).contains("1");
    List<RequestId> requestIds = leader.writes();
    assertThat(requestIds).hasSizeGreaterThan(1);
    assertThat(requestIds).extracting(RequestId::sequence).containsOnly(1L);
    assertThat(requestIds).extracting(RequestId::client).containsOnly(requestIds.get(0).client());
  }

  @Test
  void aWriteTakesEffectOnceIfTheConnectionIsLostAfterIt() {
    incrementsOnceAfter(Reaction.executeThenDrop());
    assertThat(cluster.duplicates()).isEqualTo(1);
  }

  @Test
  void aWriteTakesEffectOnceIfTheConnectionIsLostBeforeIt() {
    incrementsOnceAfter(Reaction.drop());
    assertThat(cluster.duplicates()).isZero();
  }

  @Test
  void aWriteTakesEffectOnceIfNoResponseArrives() {
    try (QuorateClient shortAttempts = shortAttempts()) {
      incrementsOnceAfter(Reaction.executeThenSwallow(), shortAttempts);
    }
    assertThat(cluster.duplicates()).isPositive();
  }

  @Test
  void aWriteTakesEffectOnceIfTheServerRespondsIndeterminate() {
    incrementsOnceAfter(Reaction.executeThenRefuse(Status.INDETERMINATE));
    assertThat(cluster.duplicates()).isEqualTo(1);
  }

  @Test
  void aWriteTakesEffectOnceIfTheServerRespondsInternal() {
    incrementsOnceAfter(Reaction.executeThenRefuse(Status.INTERNAL));
    assertThat(cluster.duplicates()).isEqualTo(1);
  }

  @Test
  void aResponseToAnEarlierAttemptCompletesTheCall() {
    List<FakeRequest> held = new ArrayList<>();
    // The first attempt receives its response after the second has arrived; the others none.
    leader.always(Opcode.WRITE, Reaction.swallow());
    leader.next(Opcode.WRITE, held::add);
    leader.next(Opcode.WRITE, second -> held.get(0).serve());
    try (QuorateClient shortAttempts = shortAttempts()) {
      assertThat(shortAttempts.incrementAndGet("n", 1)).isEqualTo(1);
    }
    assertThat(cluster.value("n")).contains("1");
    assertThat(leader.writes()).hasSizeGreaterThanOrEqualTo(2);
  }

  private QuorateClient shortAttempts() {
    return QuorateClient.connect(
        options(cluster).attemptTimeout(ClientFixture.ATTEMPT_TIMEOUT_SHORT).build());
  }

  @Test
  void theFloorFollowsCompletedWrites() {
    client.put("a", "1");
    client.put("a", "2");
    client.put("a", "3");
    assertThat(leader.writes()).extracting(RequestId::floor).containsExactly(1L, 2L, 3L);
  }

  @Test
  void theFloorDoesNotPassAnOutstandingWrite() {
    List<FakeRequest> held = new ArrayList<>();
    leader.next(Opcode.WRITE, held::add);
    CompletableFuture<Position> first = client.async().put(bytes("a"), bytes("1"));
    client.put("b", "2");
    client.put("c", "3");
    assertThat(leader.writes()).extracting(RequestId::floor).containsOnly(1L);
    assertThat(leader.writes()).extracting(RequestId::sequence).contains(1L, 2L, 3L);
    leader.run(() -> held.get(0).serve());
    first.join();
  }

  @Test
  void aWriteWhoseResultWasDiscardedIsIndeterminate() {
    leader.next(
        Opcode.WRITE,
        request -> {
          ByteBuf body = Unpooled.buffer();
          DataFrames.writePosition(body, new Position(1, 1));
          request.respond(Status.OK, body.writeBytes(Result.FORGOTTEN.encoded()));
        });
    assertThatThrownBy(() -> client.put("a", "1"))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("does not know");
  }

  private static Reaction outdated() {
    return request -> {
      ByteBuf body = Unpooled.buffer();
      DataFrames.writePosition(body, new Position(1, 500));
      request.respond(Status.OK, body.writeBytes(Result.OUTDATED.encoded()));
    };
  }

  /** As of a client that was idle until its session expired, or knows no position yet. */
  @Test
  void aCallThatIsOutdatedAtItsFirstAttemptBeginsAnewWithThePositionOfTheRegion() {
    leader.next(Opcode.WRITE, outdated());
    assertThat(client.incrementAndGet("n", 1)).isEqualTo(1);
    assertThat(leader.writes()).extracting(RequestId::sequence).containsExactly(1L, 2L);
    assertThat(leader.writes())
        .extracting(RequestId::known)
        .containsExactly(KnownPosition.NONE, new KnownPosition(1, 500));
  }

  /** As of a client that was suspended in the middle of a call. */
  @Test
  void aCallThatIsOutdatedAfterAnAttemptInDoubtIsIndeterminate() {
    leader.next(Opcode.WRITE, Reaction.executeThenDrop());
    leader.next(Opcode.WRITE, outdated());
    assertThatThrownBy(() -> client.incrementAndGet("n", 1))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("will not take effect any more");
    assertThat(client.incrementAndGet("n", 1)).isEqualTo(2);
  }

  @Test
  void allAttemptsOfACallHaveThePositionThatWasKnownWhenItBegan() {
    List<FakeRequest> held = new ArrayList<>();
    client.put("a", "1");
    leader.next(Opcode.WRITE, held::add);
    CompletableFuture<Position> first = client.async().put(bytes("b"), bytes("1"));
    Position later = client.put("c", "2");
    leader.run(() -> Reaction.executeThenDrop().to(held.get(0)));
    first.join();
    List<RequestId> attempts = leader.writes().stream().filter(tag -> tag.sequence() == 2).toList();
    assertThat(attempts).hasSizeGreaterThan(1);
    assertThat(attempts).extracting(RequestId::known).containsOnly(attempts.get(0).known());
    assertThat(attempts.get(0).known().index()).isLessThan(later.index());
  }

  @Test
  void manyWritesUnderRandomFaultsTakeEffectOnceEach() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Reaction> faults =
        List.of(
            Reaction.drop(),
            Reaction.executeThenDrop(),
            Reaction.refuse(Status.OVERLOADED),
            Reaction.refuse(Status.UNAVAILABLE),
            Reaction.refuse(Status.NOT_LEADER),
            Reaction.executeThenRefuse(Status.INDETERMINATE),
            Reaction.executeThenRefuse(Status.INTERNAL));
    for (FakeNode node : cluster.nodes()) {
      node.always(
          Opcode.WRITE,
          request -> {
            if (random.nextInt(100) < 10) {
              faults.get(random.nextInt(faults.size())).to(request);
            } else {
              request.serve();
            }
            if (random.nextInt(200) == 0) {
              cluster.setLeader(1, "n" + (1 + random.nextInt(3)));
            }
          });
    }
    List<Long> sums = new ArrayList<>();
    // Few in flight: a dropped connection fails all requests on it.
    ClientOptions options =
        options(cluster).deadline(Duration.ofMinutes(2)).inFlight(32, 1 << 20).build();
    try (AsyncQuorateClient limited = AsyncQuorateClient.open(options)) {
      List<CompletableFuture<Long>> futures = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        futures.add(limited.incrementAndGet(bytes("n"), 1));
      }
      futures.forEach(future -> sums.add(future.join()));
    }
    assertThat(cluster.value("n")).as("seed %d", seed).contains("1000");
    assertThat(sums).as("seed %d: each sum once", seed).doesNotHaveDuplicates();
    assertThat(cluster.duplicates()).as("seed %d", seed).isPositive();
  }
}
