package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client does with more calls than it may have in flight. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PacingTest {
  private FakeCluster cluster;
  private FakeNode leader;
  private final List<FakeRequest> held = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(1);
    leader = cluster.node(1);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** With room for one call. */
  private QuorateClient connect(Admission admission) {
    return QuorateClient.connect(
        options(cluster).inFlight(1, 1 << 20).waiting(0, 0).admission(admission).build());
  }

  private void serveHeld() {
    leader.always(Opcode.WRITE, FakeRequest::serve);
    held.forEach(request -> leader.run(request::serve));
  }

  @Test
  void aCallBeyondTheBoundsFailsUnlessTheClientWaits() {
    leader.always(Opcode.WRITE, held::add);
    try (QuorateClient client = connect(Admission.FAIL)) {
      CompletableFuture<Position> first = client.async().put("a", "1");
      assertThatThrownBy(() -> client.put("b", "2")).isInstanceOf(OverloadedException.class);
      await().until(() -> !held.isEmpty());
      serveHeld();
      first.join();
    }
  }

  @Test
  void aBlockingCallWaitsForRoom() {
    leader.always(Opcode.WRITE, held::add);
    try (QuorateClient client = connect(Admission.WAIT)) {
      CompletableFuture<Position> first = client.async().put("a", "1");
      CompletableFuture<Thread> blocked = new CompletableFuture<>();
      CompletableFuture<Position> second =
          CompletableFuture.supplyAsync(
              () -> {
                blocked.complete(Thread.currentThread());
                return client.put("b", "2");
              },
              task -> new Thread(task).start());
      await()
          .until(() -> blocked.join().getState() == Thread.State.TIMED_WAITING && !held.isEmpty());
      assertThat(failure(client.async().put("c", "3")))
          .as("an asynchronous call does not block")
          .isInstanceOf(OverloadedException.class);
      serveHeld();
      first.join();
      second.join();
    }
  }

  @Test
  void aBlockingCallWaitsForRoomUntilItsDeadline() {
    leader.always(Opcode.WRITE, held::add);
    try (QuorateClient client = connect(Admission.WAIT)) {
      CompletableFuture<Position> first = client.async().put("a", "1");
      assertThatThrownBy(() -> client.withDeadline(Duration.ofMillis(200)).put("b", "2"))
          .isInstanceOf(OverloadedException.class)
          .hasMessageContaining("not admitted within 200ms");
      await().until(() -> !held.isEmpty());
      serveHeld();
      first.join();
    }
  }

  @Test
  void aThousandSmallScansAreAdmittedWithTheDefaultOptions() {
    leader.always(Opcode.SCAN, held::add);
    try (QuorateClient client = QuorateClient.connect(options(cluster).build())) {
      client.put("a", "1");
      List<CompletableFuture<List<KeyValue>>> scans =
          Stream.generate(() -> client.async().scan(KeyRange.ALL, 10)).limit(1000).toList();
      await().until(() -> held.size() >= 400);
      leader.always(Opcode.SCAN, FakeRequest::serve);
      held.forEach(request -> leader.run(request::serve));
      scans.forEach(scan -> assertThat(scan.join()).hasSize(1));
    }
  }

  @Test
  void scansOfLargePagesWaitForEachOther() {
    try (QuorateClient client = QuorateClient.connect(options(cluster).build())) {
      client.put("a", "1");
      List<CompletableFuture<ScanResult>> scans =
          Stream.generate(() -> client.async().scanPage(KeyRange.ALL, 1000)).limit(1000).toList();
      scans.forEach(scan -> assertThat(scan.join().rows()).hasSize(1));
    }
  }

  @Test
  void aSmallScanOfLargeRowsHasLargerPagesEachTime() {
    try (QuorateClient client = QuorateClient.connect(options(cluster).build())) {
      for (int i = 0; i < 10; i++) {
        client.put("key" + i, new byte[100_000]);
      }
      assertThat(client.scan(KeyRange.ALL, 10)).hasSize(10);
      assertThat(leader.count(Opcode.SCAN)).isEqualTo(3);
    }
  }

  @Test
  void aBulkWriterCountsItsWritesAndReportsTheFirstFailureOnce() {
    leader.next(Opcode.WRITE, Reaction.refuse(Status.INVALID));
    try (QuorateClient client = connect(Admission.FAIL)) {
      BulkWriter writer = client.bulk();
      for (int i = 0; i < 10; i++) {
        writer.put("key" + i, "value");
      }
      writer.delete("key1");
      BulkResult result = writer.flush();
      assertThat(result.succeeded()).isEqualTo(10);
      assertThat(result.failed()).isEqualTo(1);
      assertThat(result.firstFailure()).containsInstanceOf(InvalidRequestException.class);
      writer.close();
      assertThatThrownBy(() -> writer.put("a", "1")).isInstanceOf(IllegalStateException.class);
      leader.next(Opcode.WRITE, Reaction.refuse(Status.INVALID));
      BulkWriter unflushed = client.bulk();
      unflushed.put("a", "1");
      assertThatThrownBy(unflushed::close).isInstanceOf(InvalidRequestException.class);
      unflushed.close();
    }
    assertThat(cluster.value("key1")).isEmpty();
    assertThat(cluster.value("key9")).contains("value");
  }

  @Test
  void aBulkWriterMakesWritesAgainForWhichThereWasNoRoom() {
    leader.always(Opcode.WRITE, held::add);
    try (QuorateClient client = connect(Admission.FAIL);
        BulkWriter writer = client.bulk()) {
      // Has all the room.
      CompletableFuture<Position> other = client.async().put("other", "1");
      writer.put("a", "1");
      await().until(() -> !held.isEmpty());
      serveHeld();
      other.join();
      assertThat(writer.flush()).isEqualTo(new BulkResult(1, 0, Optional.empty()));
    }
    assertThat(cluster.value("a")).contains("1");
  }

  @Test
  void aBulkWriterBlocksItsCallerBeyondItsBoundAndRefusesTheClientsThread() {
    leader.always(Opcode.WRITE, held::add);
    try (QuorateClient client =
        QuorateClient.connect(options(cluster).inFlight(8, 1 << 20).build())) {
      BulkWriter writer = client.bulk();
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 20; i++) {
                  writer.put(bytes("key" + i), bytes("value"));
                }
              },
              task -> new Thread(task).start());
      await().until(() -> held.size() == 4);
      List<FakeRequest> reads = new CopyOnWriteArrayList<>();
      leader.always(Opcode.GET, reads::add);
      CompletableFuture<Void> onLoop =
          client.async().get("a").thenAccept(value -> writer.put("a", "1"));
      leader.always(Opcode.GET, FakeRequest::serve);
      leader.run(() -> reads.forEach(FakeRequest::serve));
      assertThat(failure(onLoop)).isInstanceOf(IllegalStateException.class);
      assertThat(held).as("half of the calls in flight").hasSize(4);
      assertThat(load).isNotDone();
      serveHeld();
      load.join();
      assertThat(writer.flush().succeeded()).isEqualTo(20);
    }
  }

  @Test
  void aBulkWriterEndsIfTheClientIsClosedBeforeAWriteIsMadeAgain() {
    leader.always(Opcode.WRITE, Reaction.refuse(Status.OVERLOADED));
    CompletableFuture<Void> overloaded = new CompletableFuture<>();
    QuorateClient client =
        QuorateClient.connect(
            options(cluster)
                .deadline(Duration.ofMillis(40))
                .listener(start -> report -> ended(report, overloaded))
                .build());
    BulkWriter writer = client.bulk();
    writer.put("a", "1");
    overloaded.join();
    client.close();
    BulkResult result = writer.flush();
    assertThat(result.failed()).isEqualTo(1);
    assertThat(result.firstFailure()).get().isInstanceOf(QuorateException.class);
  }

  private static void ended(CallReport report, CompletableFuture<Void> overloaded) {
    if (report.outcome().equals("overloaded")) {
      overloaded.complete(null);
    }
  }
}
