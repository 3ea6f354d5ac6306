package io.quorate.client;

import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.model.KeyRange;
import io.quorate.protocol.wire.Opcode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExecutorTest {
  private final ExecutorService executor =
      Executors.newSingleThreadExecutor(task -> new Thread(task, "callbacks"));
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(2, "m");
  }

  @AfterEach
  void stop() {
    cluster.close();
    executor.shutdownNow();
  }

  private AsyncQuorateClient open(Executor callbacks) {
    return AsyncQuorateClient.open(
        options(cluster).executor(callbacks).inFlight(1, 1 << 20).waiting(0, 0).build());
  }

  @Test
  void futuresCompleteOnTheExecutor() {
    CompletableFuture<Void> begin = new CompletableFuture<>();
    Executor late = task -> begin.thenRunAsync(task, executor);
    try (AsyncQuorateClient client = open(late)) {
      CompletableFuture<String> put = client.put("a", "1").thenApply(at -> thread());
      CompletableFuture<String> status = client.status().thenApply(at -> thread());
      CompletableFuture<String> invalid =
          client.get(new byte[0]).handle((value, cause) -> thread());
      begin.complete(null);
      assertThat(put.join()).isEqualTo("callbacks");
      assertThat(status.join()).isEqualTo("callbacks");
      assertThat(invalid.join()).isEqualTo("callbacks");
    }
  }

  private static String thread() {
    return Thread.currentThread().getName();
  }

  @Test
  void aStageMayMakeBlockingCallsOnTheOnlyThreadOfTheExecutor() {
    try (AsyncQuorateClient client = open(executor)) {
      client.put("a", "1").join();
      client.put("z", "2").join();
      Optional<String> read =
          client
              .get("a")
              .thenApplyAsync(
                  value -> {
                    client.blocking().put("b", value.orElseThrow());
                    client.blocking().status(Duration.ofSeconds(10));
                    assertThat(client.blocking().scan(KeyRange.ALL, 10)).hasSize(3);
                    return client.blocking().get("b");
                  },
                  executor)
              .join();
      assertThat(read).contains("1");
    }
  }

  @Test
  void aBulkWriterDoesNotNeedTheExecutor() {
    Executor discarding = task -> {};
    try (AsyncQuorateClient client = open(discarding)) {
      BulkWriter writer = client.blocking().bulk();
      writer.put("a", "1");
      assertThat(writer.flush()).isEqualTo(new BulkResult(1, 0, Optional.empty()));
    }
  }

  @Test
  void anExecutorThatRejectsOrThrowsLosesNoCall() {
    Executor rejecting =
        task -> {
          throw new RejectedExecutionException("thrown by a test");
        };
    Executor failing =
        task -> {
          throw new StackOverflowError("thrown by a test");
        };
    for (Executor callbacks : new Executor[] {rejecting, failing}) {
      try (AsyncQuorateClient client = open(callbacks)) {
        client.put("a", "1").join();
        assertThat(client.get("a").join()).contains("1");
        assertThat(client.scan(KeyRange.ALL, 10).join()).hasSize(1);
        assertThat(client.status().join().isReachable()).isTrue();
        assertThat(failure(client.get(new byte[0]))).isInstanceOf(InvalidRequestException.class);
      }
    }
  }

  @Test
  void aScanOfSeveralPagesNeedsTheExecutorOnlyAtItsEnd() {
    try (AsyncQuorateClient client = open(executor)) {
      client.put("a", "1").join();
      client.put("z", "2").join();
      assertThat(client.scan(KeyRange.ALL, 10).join()).hasSize(2);
    }
  }

  @Test
  void aWaitForAnOutcomeCompletesOnTheExecutorAndABlockingOneNeedsNone() {
    Executor onlyStages = task -> new Thread(task, "callbacks").start();
    Reaction lost = Reaction.executeThenSwallow();
    cluster.node(1).always(Opcode.WRITE, lost);
    try (AsyncQuorateClient client = open(onlyStages)) {
      IndeterminateException failure =
          (IndeterminateException)
              failure(client.withDeadline(Duration.ofMillis(500)).put("a", "1"));
      CompletableFuture<Void> stage = new CompletableFuture<>();
      CompletableFuture<String> thread =
          failure
              .awaitAsync(Duration.ofSeconds(30))
              .thenApply(
                  outcome -> {
                    stage.join();
                    return thread();
                  });
      cluster.node(1).always(Opcode.WRITE, FakeRequest::serve);
      assertThat(failure.await(Duration.ofSeconds(30))).isInstanceOf(WriteOutcome.Done.class);
      stage.complete(null);
      assertThat(thread.join()).isEqualTo("callbacks");
    }
  }
}
