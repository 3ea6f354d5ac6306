package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.model.KeyRange;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A future fails with the exception of its call, not with one around that. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailureTypeTest {
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(1);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private AsyncQuorateClient open(boolean observed) {
    ClientOptions.Builder options = options(cluster);
    return AsyncQuorateClient.open(
        (observed ? options.listener(start -> report -> {}) : options).build());
  }

  /** As a stage sees it. */
  private static Class<?> failure(CompletableFuture<?> call) {
    return call.handle((value, failure) -> failure == null ? null : failure.getClass()).join();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ofACallThatTheClusterRefuses(boolean observed) {
    for (Opcode opcode : List.of(Opcode.GET, Opcode.SCAN, Opcode.SCAN_REVERSE, Opcode.WRITE)) {
      cluster.node(1).always(opcode, Reaction.refuse(Status.INVALID));
    }
    try (AsyncQuorateClient client = open(observed)) {
      AsyncQuorateMap<String, String> map = client.map(Codec.utf8(), Codec.utf8());
      assertThat(
              List.of(
                  client.get("a"),
                  client.getBytes("a"),
                  client.put("a", "1"),
                  client.putIfAbsent("a", "1"),
                  client.getAndPut("a", "1"),
                  client.compareAndSet("a", "1", "2"),
                  client.compareAndDelete("a", "1"),
                  client.incrementAndGet(bytes("a"), 1, true),
                  client.scan(KeyRange.ALL, 1),
                  client.scanReverse(KeyRange.ALL, 1),
                  client.scanPage(KeyRange.ALL, 1),
                  client.scanPrefix("a", 1),
                  map.get("a"),
                  map.containsKey("a"),
                  map.putIfAbsent("a", "1"),
                  map.getAndPut("a", "1"),
                  map.compareAndSet("a", "1", "2"),
                  map.compareAndDelete("a", "1"),
                  map.scan(KeyRange.ALL, 1),
                  map.scanPageReverse(KeyRange.ALL, 1)))
          .extracting(FailureTypeTest::failure)
          .containsOnly(InvalidRequestException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ofACallWhoseValueCannotBeRead(boolean observed) {
    try (AsyncQuorateClient client = open(observed)) {
      client.put(bytes("a"), new byte[] {(byte) 0xff}).join();
      AsyncQuorateMap<String, String> map = client.map(Codec.utf8(), Codec.utf8());
      assertThat(List.of(client.get("a"), map.get("a"), map.scan(KeyRange.ALL, 1)))
          .extracting(FailureTypeTest::failure)
          .containsOnly(RefusedException.class);
      assertThat(failure(client.incrementAndGet(bytes("a"), 1, true)))
          .isEqualTo(IndeterminateException.class);
      assertThat(failure(map.getAndPut("a", "1"))).isEqualTo(IndeterminateException.class);
    }
  }
}
