package io.quorate.client;

import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.client.internal.AsyncClient;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.Opcode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of an ordered view. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OrderedTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration IMPATIENCE = Duration.ofMillis(500);

  private final FakeCluster cluster = FakeCluster.start(1);
  private final FakeNode leader = cluster.node(1);
  private final List<FakeRequest> held = new CopyOnWriteArrayList<>();
  private AsyncQuorateClient client;
  private AsyncQuorateClient ordered;
  private AsyncQuorateClient impatient;

  @BeforeEach
  void start() {
    open(options -> options);
  }

  private void open(UnaryOperator<ClientOptions.Builder> more) {
    client =
        AsyncQuorateClient.open(
            more.apply(options(cluster).attemptTimeout(ClientFixture.ATTEMPT_TIMEOUT_SHORT))
                .build());
    client.ready().join();
    ordered = client.ordered().withDeadline(PATIENCE);
    impatient = client.withDeadline(IMPATIENCE).ordered();
  }

  private void reopen(UnaryOperator<ClientOptions.Builder> more) {
    client.close();
    open(more);
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  private void hold() {
    leader.always(Opcode.WRITE, held::add);
  }

  private void serve() {
    leader.always(Opcode.WRITE, FakeRequest::serve);
    held.forEach(request -> leader.run(request::serve));
  }

  private List<Long> sequences() {
    return leader.writes().stream().map(RequestId::sequence).distinct().toList();
  }

  private int keysInMemory() {
    return AsyncClient.caller(client)
        .context()
        .onLoop(loop -> CompletableFuture.completedFuture(loop.order().keys()))
        .join();
  }

  /** The failure of a write whose responses are lost; those of later ones are too. */
  private IndeterminateException inDoubt(String key, String value) {
    leader.always(Opcode.WRITE, Reaction.executeThenSwallow());
    return (IndeterminateException) failure(impatient.put(key, value));
  }

  /** The same calls without an order take effect in the other one. */
  @Test
  void writesOfOneKeyTakeEffectInTheOrderOfTheCalls() {
    AsyncQuorateClient plain = client.withDeadline(PATIENCE);
    for (AsyncQuorateClient view : List.of(plain, ordered)) {
      leader.next(Opcode.WRITE, Reaction.swallow());
      CompletableFuture<Position> first = view.put("a", "1");
      view.put("a", "2").join();
      first.join();
      assertThat(cluster.value("a")).contains(view == ordered ? "2" : "1");
    }
    assertThat(keysInMemory()).isZero();
  }

  @Test
  void viewsOfAClientHaveOneOrder() {
    hold();
    ordered.put("x/a", "1");
    CompletableFuture<Position> second = ordered.namespace("x/").put("a", "2");
    CompletableFuture<Position> third =
        client.namespace("x/").blocking().ordered().async().withDeadline(PATIENCE).put("a", "3");
    client.namespace("x/").map(Codec.utf8(), Codec.utf8()).put("b", "not in order").isDone();
    await().until(() -> held.size() == 2);
    serve();
    third.join();
    assertThat(second).isCompleted();
    assertThat(cluster.value("x/a")).contains("3");
  }

  @Test
  void writesOfOtherKeysDoNotWait() {
    hold();
    CompletableFuture<Position> first = ordered.put("a", "1");
    CompletableFuture<Position> second = ordered.put("a", "2");
    await().until(() -> held.size() == 1);
    leader.always(Opcode.WRITE, FakeRequest::serve);
    ordered.put("b", "1").join();
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
  }

  @Test
  void aBatchIsInTheOrderOfEachOfItsKeys() {
    leader.next(Opcode.WRITE, Reaction.swallow());
    CompletableFuture<Position> first = ordered.put("a", "1");
    ordered.batch(new Batch().put("a", "2").put("b", "2").put("a", "3"));
    ordered.append("b", "4").join();
    first.join();
    assertThat(cluster.value("a")).contains("3");
    assertThat(cluster.value("b")).contains("24");
    assertThat(keysInMemory()).isZero();
  }

  @Test
  void aReadFindsTheWritesThatWereCalledBefore() {
    leader.next(Opcode.WRITE, Reaction.swallow());
    ordered.put("a", "1");
    ordered.append("a", "2");
    CompletableFuture<Optional<String>> read = ordered.get("a");
    assertThat(client.get("a").join()).as("without an order").isEmpty();
    assertThat(ordered.get("other").join()).isEmpty();
    assertThat(read.join()).contains("12");
  }

  @Test
  void noWriteWaitsForAReadAndNoScanForAWrite() {
    leader.always(Opcode.GET, Reaction.swallow());
    ordered.get("a");
    ordered.put("a", "1").join();
    hold();
    ordered.put("a", "2");
    assertThat(ordered.scanPrefix("a", 1).join()).hasSize(1);
  }

  @Test
  void theSumOfASplitIncrementIsReadWithoutWaitingForLaterWrites() {
    hold();
    CompletableFuture<Long> sum = ordered.incrementAndGet("n".getBytes(), 1, true);
    await().until(() -> held.size() == 1);
    ordered.put("n", "7");
    leader.run(held.get(0)::serve);
    assertThat(sum.join()).isEqualTo(1);
  }

  @Test
  void aWriteBehindOneInDoubtWaitsUntilItsOutcomeIsKnown() {
    IndeterminateException first = inDoubt("a", "1");
    CompletableFuture<Position> second = ordered.append("a", "2");
    CompletableFuture<Position> other = ordered.put("b", "1");
    int attempts = leader.count(Opcode.WRITE);
    await().until(() -> leader.count(Opcode.WRITE) > attempts + 2);
    assertThat(sequences()).as("of the first one, and the one of the other key").hasSize(2);
    serve();
    second.join();
    other.join();
    assertThat(cluster.value("a")).contains("12");
    assertThat(first.await(PATIENCE)).isInstanceOf(WriteOutcome.Done.class);
    assertThat(keysInMemory()).isZero();
  }

  @Test
  void aWriteIsNotSentWhileTheOutcomeOfTheOneBeforeIsUnknown() {
    inDoubt("a", "1");
    CompletableFuture<Position> second = impatient.append("a", "2");
    CompletableFuture<Position> third = ordered.append("a", "3");
    assertThat(failure(second))
        .isInstanceOf(UnavailableException.class)
        .hasMessage(
            "The call was not sent within 500ms and has had no effect, since calls of this client"
                + " are in order and the outcome of an earlier write to \"a\" is unknown.");
    assertThat(sequences()).hasSize(1);
    serve();
    third.join();
    assertThat(cluster.value("a")).contains("13");
  }

  @Test
  void aReadDoesNotWaitForAWriteInDoubt() {
    inDoubt("a", "1");
    assertThat(impatient.get("a").join()).contains("1");
    CompletableFuture<Position> second = impatient.put("a", "2");
    assertThat(failure(impatient.withDeadline(Duration.ofMillis(50)).get("a")))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("was not sent within 50ms")
        .hasMessageContaining("an earlier write to its key has not ended");
    assertThat(failure(second)).isInstanceOf(UnavailableException.class);
  }

  @Test
  void aThreadThatWaitsForEachCallHasAnOrderToo() {
    QuorateClient blocking = client.blocking().ordered();
    leader.always(Opcode.WRITE, Reaction.swallow());
    assertThatThrownBy(() -> blocking.withDeadline(IMPATIENCE).put("a", "1"))
        .isInstanceOf(IndeterminateException.class);
    leader.always(Opcode.WRITE, FakeRequest::serve);
    blocking.append("a", "2");
    assertThat(cluster.value("a")).contains("12");
  }

  @Test
  void aWriteThatFailsStopsNoOther() {
    hold();
    ordered.put("n", "no number");
    CompletableFuture<Long> refused = ordered.incrementAndGet("n", 1);
    CompletableFuture<Position> late = impatient.append("n", " late");
    CompletableFuture<Position> last = ordered.append("n", "!");
    assertThat(failure(late))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("an earlier write to \"n\" has not ended");
    serve();
    assertThat(failure(refused)).isInstanceOf(RefusedException.class);
    last.join();
    assertThat(cluster.value("n")).contains("no number!");
  }

  @Test
  void theCallsThatWaitAreBounded() {
    reopen(options -> options.inFlight(1, 1 << 20).waiting(1, 1 << 20));
    hold();
    CompletableFuture<Position> first = ordered.put("a", "1");
    CompletableFuture<Position> second = ordered.put("a", "2");
    assertThat(failure(ordered.put("a", "3"))).isInstanceOf(OverloadedException.class);
    serve();
    first.join();
    second.join();
    assertThat(cluster.value("a")).contains("2");
  }

  @Test
  void aWriteInDoubtGoesOnAlsoIfThoseThatWaitForItTakeAllRoom() {
    reopen(options -> options.inFlight(1, 1 << 20).waiting(1, 0));
    inDoubt("a", "1");
    CompletableFuture<Position> second = ordered.append("a", "2");
    CompletableFuture<Position> third = ordered.append("a", "3");
    assertThat(failure(ordered.put("a", "4"))).isInstanceOf(OverloadedException.class);
    serve();
    second.join();
    third.join();
    assertThat(cluster.value("a")).contains("123");
    ordered.put("a", "5").join();
  }

  @Test
  void nothingStaysOfAWriteThatIsGivenUp() {
    leader.always(Opcode.WRITE, Reaction.executeThenSwallow());
    List<CompletableFuture<Position>> writes =
        IntStream.range(0, 1025).mapToObj(i -> impatient.put("k" + i, "1")).toList();
    writes.forEach(ClientFixture::failure);
    assertThat(keysInMemory()).isEqualTo(1024);
    leader.always(Opcode.WRITE, FakeRequest::serve);
    int attempts = leader.count(Opcode.WRITE);
    ordered.put("k0", "2").join();
    assertThat(leader.count(Opcode.WRITE)).isEqualTo(attempts + 1);
  }

  @Test
  void aCallThatWaitsIsOneCallFromItsBegin() {
    List<CallReport> reports = new CopyOnWriteArrayList<>();
    List<CallStart> starts = new CopyOnWriteArrayList<>();
    reopen(
        options ->
            options.listener(
                start -> {
                  starts.add(start);
                  return reports::add;
                }));
    starts.clear();
    reports.clear();
    hold();
    ordered.put("a", "1");
    CompletableFuture<Position> second = ordered.append("a", "2");
    long begun = System.nanoTime();
    assertThat(starts)
        .extracting(CallStart::operation)
        .containsExactly(CallOperation.PUT, CallOperation.APPEND);
    // Longer than a call takes that is served at once.
    Duration waited = Duration.ofMillis(200);
    await().until(() -> System.nanoTime() - begun > waited.toNanos());
    serve();
    second.join();
    assertThat(reports).hasSize(2);
    CallReport report = reports.get(1);
    assertThat(report.operation()).isEqualTo(CallOperation.APPEND);
    assertThat(report.attempts()).isOne();
    assertThat(report.time()).isGreaterThan(waited);
  }

  @Test
  void manyWritesOfOneKeyTakeEffectInTheirOrder() {
    reopen(options -> options.admission(Admission.WAIT).attemptTimeout(PATIENCE));
    // One is sent after the other.
    int count = Boolean.getBoolean("tests.slow") ? 100_000 : 20_000;
    ordered.put("n", "0");
    List<Integer> completed = new ArrayList<>();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      int number = i;
      all.add(
          ordered
              .compareAndSet("n", Integer.toString(i - 1), Integer.toString(i))
              .thenAccept(swapped -> completed.add(swapped ? number : -number)));
    }
    all.forEach(CompletableFuture::join);
    assertThat(completed).hasSize(count).isSorted();
    assertThat(keysInMemory()).isZero();
  }

  @Test
  void closingTheClientEndsWhatWaits() {
    reopen(options -> options.admission(Admission.WAIT).attemptTimeout(PATIENCE));
    hold();
    CompletableFuture<Position> first = ordered.put("a", "0");
    List<CompletableFuture<Position>> waiting =
        IntStream.range(1, 100_000).mapToObj(i -> ordered.put("a", "" + i)).toList();
    await().until(() -> held.size() == 1);
    client.close();
    assertThat(failure(first)).isInstanceOf(IndeterminateException.class);
    assertThat(waiting)
        .allSatisfy(write -> assertThat(failure(write)).isInstanceOf(ClientClosedException.class));
  }

  @Test
  void closingTheClientEndsWhatWaitsForAWriteInDoubt() {
    IndeterminateException first = inDoubt("a", "1");
    CompletableFuture<Position> second = ordered.put("a", "2");
    client.close();
    assertThat(failure(second)).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> first.await(PATIENCE)).isInstanceOf(IndeterminateException.class);
  }
}
