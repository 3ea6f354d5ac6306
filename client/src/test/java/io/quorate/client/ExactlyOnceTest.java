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
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import io.quorate.consensus.Position;
import io.quorate.operation.RequestId;
import io.quorate.operation.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** However often a write is sent, it takes effect once. */
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

  private void incrementsOnceAfter(Reaction reaction, QuorateClient incrementing) {
    leader.next(Opcode.WRITE, reaction);
    assertThat(incrementing.incrementAndGet("n", 1)).isEqualTo(1);
    assertThat(cluster.value("n")).contains("1");
    List<RequestId> tags = leader.writes();
    assertThat(tags).hasSizeGreaterThan(1);
    assertThat(tags).extracting(RequestId::sequence).containsOnly(1L);
    assertThat(tags).extracting(RequestId::client).containsOnly(tags.get(0).client());
  }

  @Test
  void aConnectionLostAfterTheWriteTookEffect() {
    incrementsOnceAfter(Reaction.executeThenDrop());
    assertThat(cluster.duplicates()).isEqualTo(1);
  }

  @Test
  void aConnectionLostBeforeTheWriteTookEffect() {
    incrementsOnceAfter(Reaction.drop());
    assertThat(cluster.duplicates()).isZero();
  }

  @Test
  void anAnswerThatNeverComes() {
    try (QuorateClient impatient = impatient()) {
      incrementsOnceAfter(Reaction.executeThenSwallow(), impatient);
    }
    assertThat(cluster.duplicates()).isPositive();
  }

  @Test
  void aServerThatDoesNotKnow() {
    incrementsOnceAfter(Reaction.executeThenRefuse(Status.INDETERMINATE));
    assertThat(cluster.duplicates()).isEqualTo(1);
  }

  @Test
  void aServerThatFails() {
    incrementsOnceAfter(Reaction.executeThenRefuse(Status.INTERNAL));
    assertThat(cluster.duplicates()).isEqualTo(1);
  }

  @Test
  void anAnswerThatComesAfterTheNextAttemptBeganStillCounts() {
    List<FakeRequest> held = new ArrayList<>();
    // Later attempts are never answered; the first one is when the second has come.
    leader.always(Opcode.WRITE, Reaction.swallow());
    leader.next(Opcode.WRITE, held::add);
    leader.next(Opcode.WRITE, second -> held.get(0).answer());
    try (QuorateClient impatient = impatient()) {
      assertThat(impatient.incrementAndGet("n", 1)).isEqualTo(1);
    }
    assertThat(cluster.value("n")).contains("1");
    assertThat(leader.writes()).hasSizeGreaterThanOrEqualTo(2);
  }

  private QuorateClient impatient() {
    return QuorateClient.connect(options(cluster).attemptTimeout(ClientFixture.IMPATIENT).build());
  }

  @Test
  void theFloorFollowsWhatWasAnswered() {
    client.put("a", "1");
    client.put("a", "2");
    client.put("a", "3");
    assertThat(leader.writes()).extracting(RequestId::floor).containsExactly(1L, 2L, 3L);
  }

  @Test
  void theFloorStaysBelowAWriteThatIsStillTried() {
    List<FakeRequest> held = new ArrayList<>();
    leader.next(Opcode.WRITE, held::add);
    CompletableFuture<Position> first = client.async().put(bytes("a"), bytes("1"));
    client.put("b", "2");
    client.put("c", "3");
    assertThat(leader.writes()).extracting(RequestId::floor).containsOnly(1L);
    assertThat(leader.writes()).extracting(RequestId::sequence).contains(1L, 2L, 3L);
    leader.run(() -> held.get(0).answer());
    first.join();
  }

  @Test
  void aForgottenWriteIsIndeterminate() {
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
              request.answer();
            }
            if (random.nextInt(200) == 0) {
              cluster.lead(1, "n" + (1 + random.nextInt(3)));
            }
          });
    }
    List<Long> answers = new ArrayList<>();
    // Few at once: a dropped connection takes with it all that are on it.
    ClientOptions options =
        options(cluster).deadline(Duration.ofMinutes(2)).inFlight(32, 1 << 20).build();
    try (AsyncQuorateClient few = AsyncQuorateClient.open(options)) {
      List<CompletableFuture<Long>> sums = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        sums.add(few.incrementAndGet(bytes("n"), 1));
      }
      sums.forEach(sum -> answers.add(sum.join()));
    }
    assertThat(cluster.value("n")).as("seed %d", seed).contains("1000");
    assertThat(answers).as("seed %d: each sum once", seed).doesNotHaveDuplicates();
    assertThat(cluster.duplicates()).as("seed %d", seed).isPositive();
  }
}
