package io.quorate.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.quorate.client.Admission;
import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.OverloadedException;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.internal.AsyncClient;
import io.quorate.common.Failures;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.wire.Opcode;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request that the event loop makes, as that for the next page of a scan, with no room. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallerTest {
  private final List<FakeRequest> held = new CopyOnWriteArrayList<>();
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(1);
    cluster.node(1).always(Opcode.WRITE, held::add);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private AsyncQuorateClient open(Admission admission) {
    return AsyncClient.open(
        ClientOptions.builder(cluster.addresses())
            .inFlight(1, 1 << 20)
            .waiting(0, 0)
            .admission(admission)
            .build());
  }

  private static CompletableFuture<Optional<byte[]>> readOnLoop(Caller caller) {
    ClientContext context = caller.context();
    GetRequest read =
        new GetRequest(
            Key.utf8("a"), ReadOptions.of(context.options().guarantee(), context.options()));
    return context.onLoop(loop -> caller.submit(read, ObservedCall.NONE));
  }

  @Test
  void waitsIfItsCallerIsBlockedAndMayWait() {
    try (AsyncQuorateClient client = open(Admission.WAIT)) {
      CompletableFuture<Position> write = client.put("a", "1");
      await().until(() -> !held.isEmpty());
      CompletableFuture<Optional<byte[]>> read = readOnLoop(AsyncClient.caller(client).blocking());
      CompletableFuture<Optional<byte[]>> later = readOnLoop(AsyncClient.caller(client).blocking());
      cluster.node(1).run(() -> held.forEach(FakeRequest::serve));
      write.join();
      assertThat(read.join()).isPresent();
      assertThat(later.join()).isPresent();
      assertThat(AsyncClient.caller(client).context().admission().enteredCalls()).isZero();
    }
  }

  @Test
  void failsOtherwise() {
    try (AsyncQuorateClient client = open(Admission.FAIL)) {
      CompletableFuture<Position> write = client.put("a", "1");
      await().until(() -> !held.isEmpty());
      CompletableFuture<?> read = readOnLoop(AsyncClient.caller(client).blocking());
      assertThat(Failures.unwrap(catchThrowable(read::join)))
          .isInstanceOf(OverloadedException.class);
      cluster.node(1).run(() -> held.forEach(FakeRequest::serve));
      write.join();
    }
  }
}
