package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.Opcode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application goes on with a write whose outcome is unknown. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AwaitTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration IMPATIENCE = Duration.ofMillis(500);

  private FakeCluster cluster;
  private FakeNode leader;
  private QuorateClient client;
  private QuorateClient impatient;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(1);
    leader = cluster.node(1);
    client =
        QuorateClient.connect(
            options(cluster).attemptTimeout(ClientFixture.ATTEMPT_TIMEOUT_SHORT).build());
    impatient = client.withDeadline(IMPATIENCE);
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  /** The failure of a call all of whose attempts have this reaction; later ones are served. */
  private IndeterminateException inDoubt(Reaction reaction, ThrowingCallable call) {
    leader.always(Opcode.WRITE, reaction);
    IndeterminateException failure = catchThrowableOfType(IndeterminateException.class, call);
    leader.always(Opcode.WRITE, FakeRequest::serve);
    return failure;
  }

  @Test
  void aWriteThatTookEffectReturnsItsResultAndTakesEffectOnce() {
    IndeterminateException failure =
        inDoubt(Reaction.executeThenSwallow(), () -> impatient.incrementAndGet("n", 1));
    assertThat(failure.await(PATIENCE))
        .isInstanceOfSatisfying(
            WriteOutcome.Sum.class, sum -> assertThat(sum.value()).isEqualTo(1));
    assertThat(cluster.value("n")).contains("1");
    assertThat(cluster.duplicates()).isPositive();
    assertThat(leader.writes()).extracting(RequestId::sequence).containsOnly(1L);
    assertThat(failure.await(IMPATIENCE)).as("known since").isInstanceOf(WriteOutcome.Sum.class);
    assertThat(client.incrementAndGet("n", 1)).isEqualTo(2);
  }

  @Test
  void aWriteThatDidNotArriveTakesEffectThen() {
    IndeterminateException failure =
        inDoubt(Reaction.swallow(), () -> impatient.getAndPut("a", "1"));
    assertThat(cluster.value("a")).isEmpty();
    WriteOutcome outcome = failure.await(PATIENCE);
    assertThat(outcome).isEqualTo(new WriteOutcome.Replaced(outcome.position(), absent()));
    assertThat(cluster.value("a")).contains("1");
    assertThat(cluster.duplicates()).isZero();
  }

  private static Optional<byte[]> absent() {
    return Optional.empty();
  }

  @Test
  void eachKindOfWriteHasItsOutcome() {
    client.put("a", "1");
    Reaction lost = Reaction.executeThenSwallow();
    assertThat(inDoubt(lost, () -> impatient.put("a", "2")).await(PATIENCE))
        .isInstanceOf(WriteOutcome.Done.class);
    assertThat(inDoubt(lost, () -> impatient.batch(new Batch().put("b", "1"))).await(PATIENCE))
        .isInstanceOf(WriteOutcome.Done.class);
    assertThat(inDoubt(lost, () -> impatient.putIfAbsent("a", "3")).await(PATIENCE))
        .isInstanceOfSatisfying(
            WriteOutcome.Swap.class,
            swap -> {
              assertThat(swap.result().swapped()).isFalse();
              assertThat(swap.result().current()).contains(bytes("2"));
            });
  }

  @Test
  void aRefusedWriteIsRefused() {
    client.put("n", "no number");
    IndeterminateException failure =
        inDoubt(Reaction.executeThenSwallow(), () -> impatient.incrementAndGet("n", 1));
    assertThatThrownBy(() -> failure.await(PATIENCE)).isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> failure.await(PATIENCE)).isInstanceOf(RefusedException.class);
  }

  @Test
  void aWaitEndsByItsDeadlineAndAnotherOneMayFollow() {
    leader.always(Opcode.WRITE, Reaction.executeThenSwallow());
    IndeterminateException first =
        catchThrowableOfType(IndeterminateException.class, () -> impatient.put("a", "1"));
    IndeterminateException second =
        catchThrowableOfType(IndeterminateException.class, () -> first.await(IMPATIENCE));
    assertThat(second).hasMessageContaining("not confirmed within 500ms");
    leader.always(Opcode.WRITE, FakeRequest::serve);
    assertThat(second.await(PATIENCE)).isEqualTo(first.await(PATIENCE));
    assertThat(leader.writes()).extracting(RequestId::sequence).containsOnly(1L);
  }

  @Test
  void severalCallersWaitForOneWrite() {
    leader.always(Opcode.WRITE, Reaction.swallow());
    IndeterminateException failure =
        catchThrowableOfType(IndeterminateException.class, () -> impatient.put("a", "1"));
    CompletableFuture<WriteOutcome> first = failure.awaitAsync(PATIENCE);
    CompletableFuture<WriteOutcome> second = failure.awaitAsync(PATIENCE);
    assertThat(failure(failure.awaitAsync(Duration.ofMillis(1))))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("within 1ms");
    leader.always(Opcode.WRITE, FakeRequest::serve);
    assertThat(first.join()).isEqualTo(second.join());
  }

  @Test
  void theFloorDoesNotPassAWriteInDoubtUntilItsOutcomeIsKnown() {
    IndeterminateException failure =
        inDoubt(Reaction.executeThenSwallow(), () -> impatient.put("a", "1"));
    client.put("b", "2");
    client.put("b", "3");
    assertThat(leader.writes()).extracting(RequestId::floor).containsOnly(1L);
    failure.await(PATIENCE);
    client.put("b", "4");
    RequestId last = leader.writes().get(leader.writes().size() - 1);
    assertThat(last.floor()).isEqualTo(last.sequence());
  }

  @Test
  void aWriteInDoubtDoesNotBlockItsRegion() {
    IndeterminateException failure =
        inDoubt(Reaction.executeThenSwallow(), () -> impatient.put("a", "1"));
    AsyncQuorateClient writer = client.async().withDeadline(Duration.ofMinutes(1));
    List<CompletableFuture<Position>> later = new ArrayList<>();
    for (int i = 0; i < RequestId.WINDOW + 10; i++) {
      later.add(writer.put("b", "2"));
    }
    later.forEach(CompletableFuture::join);
    assertThatThrownBy(() -> failure.await(PATIENCE))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("can never be known")
        .hasMessageContaining("later writes");
    assertThat(cluster.value("a")).contains("1");
  }

  @Test
  void aClientKeepsABoundedNumberOfWritesInDoubt() {
    IndeterminateException oldest =
        inDoubt(Reaction.executeThenSwallow(), () -> impatient.incrementAndGet("n", 1));
    leader.always(Opcode.WRITE, Reaction.executeThenSwallow());
    // So many calls are sent within this time, also on a slow machine.
    QuorateClient slow = client.withDeadline(Duration.ofSeconds(3));
    List<Throwable> failures =
        IntStream.range(0, 1024).mapToObj(i -> slow.async().increment("n", 1)).toList().stream()
            .map(ClientFixture::failure)
            .toList();
    leader.always(Opcode.WRITE, FakeRequest::serve);
    assertThat(failures)
        .allSatisfy(
            failure ->
                assertThat(((IndeterminateException) failure).await(PATIENCE))
                    .isInstanceOf(WriteOutcome.Done.class));
    assertThatThrownBy(() -> oldest.await(PATIENCE))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("can never be known");
    assertThat(cluster.value("n")).contains("1025");
  }

  @Test
  void theOutcomeIsNeverKnownOnceTheClientIsClosed() {
    IndeterminateException failure =
        inDoubt(Reaction.executeThenSwallow(), () -> impatient.put("a", "1"));
    client.close();
    assertThatThrownBy(() -> failure.await(PATIENCE))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("can never be known: the client is closed");
  }

  @Test
  void theClientsOwnThreadDoesNotWait() {
    IndeterminateException failure =
        inDoubt(Reaction.executeThenSwallow(), () -> impatient.put("a", "1"));
    List<FakeRequest> reads = new CopyOnWriteArrayList<>();
    leader.always(Opcode.GET, reads::add);
    CompletableFuture<Optional<String>> read = client.async().get("a");
    CompletableFuture<WriteOutcome> onLoop = read.thenApply(value -> failure.await(PATIENCE));
    CompletableFuture<WriteOutcome> chained =
        read.thenCompose(value -> failure.awaitAsync(PATIENCE));
    leader.always(Opcode.GET, FakeRequest::serve);
    leader.run(() -> reads.forEach(FakeRequest::serve));
    assertThat(failure(onLoop)).isInstanceOf(IllegalStateException.class);
    assertThat(chained.join()).isInstanceOf(WriteOutcome.Done.class);
  }

  @Test
  void testsOfApplicationsConstructIt() {
    IndeterminateException bare = new IndeterminateException("No response.");
    assertThatThrownBy(() -> bare.await(PATIENCE))
        .isInstanceOf(IndeterminateException.class)
        .hasMessage(
            "There is nothing to wait for, since no request is kept that could settle it: No"
                + " response.");
    WriteOutcome outcome = new WriteOutcome.Done(new Position(1, 2));
    IndeterminateException settled =
        new IndeterminateException(
            "No response.", deadline -> CompletableFuture.completedFuture(outcome));
    assertThat(settled.await(PATIENCE)).isEqualTo(outcome);
    assertThatThrownBy(() -> settled.await(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aWaitLastsUntilItsDeadlineAlsoBesideAShorterOne() {
    leader.always(Opcode.WRITE, Reaction.swallow());
    IndeterminateException failure =
        catchThrowableOfType(IndeterminateException.class, () -> impatient.put("a", "1"));
    CompletableFuture<WriteOutcome> shorter = failure.awaitAsync(IMPATIENCE);
    List<CompletableFuture<WriteOutcome>> longer =
        List.of(failure.awaitAsync(PATIENCE), failure.awaitAsync(PATIENCE));
    assertThat(failure(shorter)).isInstanceOf(IndeterminateException.class);
    leader.always(Opcode.WRITE, FakeRequest::serve);
    longer.forEach(wait -> assertThat(wait.join()).isInstanceOf(WriteOutcome.Done.class));
    assertThat(leader.writes()).extracting(RequestId::sequence).containsOnly(1L);
  }
}
