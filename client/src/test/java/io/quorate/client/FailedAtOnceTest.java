package io.quorate.client;

import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.model.KeyRange;
import io.quorate.protocol.wire.Opcode;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A chain of calls that fail at once, each begun in the stage of the one before, ends. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedAtOnceTest {
  private static final int CALLS = 5_000;

  private final FakeCluster cluster = FakeCluster.start(1);

  @AfterEach
  void stop() {
    cluster.close();
  }

  private static void chain(
      Supplier<CompletableFuture<?>> call, int left, CompletableFuture<Void> end) {
    if (left == 0) {
      end.complete(null);
      return;
    }
    call.get().whenComplete((value, failure) -> chain(call, left - 1, end));
  }

  private static void assertEnds(Supplier<CompletableFuture<?>> call) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    chain(call, CALLS, end);
    end.join();
  }

  private ClientOptions.Builder full() {
    cluster.node(1).always(Opcode.WRITE, Reaction.swallow());
    return options(cluster).inFlight(1, 1 << 20).waiting(0, 0);
  }

  private static Stream<ClientOptions.Builder> changes() {
    return Stream.of(
        ClientOptions.builder("localhost:1"),
        ClientOptions.builder("localhost:1").listener(start -> report -> {}),
        ClientOptions.builder("localhost:1").executor(Runnable::run));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void ofAClientWithoutRoom(ClientOptions.Builder change) {
    ClientOptions.Builder options = full();
    change.build().listeners().forEach(options::listener);
    change.build().executor().ifPresent(options::executor);
    try (AsyncQuorateClient client = AsyncQuorateClient.open(options.build())) {
      CompletableFuture<?> first = client.put("a", "1");
      assertEnds(() -> client.put("b", "2"));
      assertThat(first).isNotDone();
    }
  }

  @Test
  void ofAClosedClient() {
    AsyncQuorateClient client = AsyncQuorateClient.open(options(cluster).build());
    client.close();
    assertEnds(() -> client.put("a", "1"));
    assertEnds(() -> client.scan(KeyRange.ALL, 1));
    assertEnds(client::status);
  }

  @Test
  void ofInvalidCalls() {
    try (AsyncQuorateClient client = AsyncQuorateClient.open(options(cluster).build())) {
      assertEnds(() -> client.get(new byte[0]));
      assertEnds(() -> client.get(String.valueOf((char) 0xd83d)));
      Codec<String> failing =
          Codec.of(
              text -> {
                throw new IllegalStateException("thrown by a test");
              },
              bytes -> "");
      AsyncQuorateMap<String, String> map = client.map(failing, Codec.utf8());
      assertEnds(() -> map.get("a"));
    }
  }
}
