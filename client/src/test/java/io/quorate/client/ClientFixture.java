package io.quorate.client;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.Replica;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.Assertions;

/** Options and helper methods for tests of the client against a {@link FakeCluster}. */
final class ClientFixture {
  /** Longer than the response time of a node on a busy machine. */
  static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(5);

  /** For tests that wait for the timeout of an attempt. */
  static final Duration ATTEMPT_TIMEOUT_SHORT = Duration.ofMillis(400);

  private ClientFixture() {}

  static ClientOptions.Builder options(FakeCluster cluster) {
    return ClientOptions.builder(cluster.addresses())
        .deadline(Duration.ofSeconds(20))
        .attemptTimeout(ATTEMPT_TIMEOUT)
        .silenceMax(ATTEMPT_TIMEOUT);
  }

  /** Two regions that begin at the lowest key and at "m", led by different nodes. */
  static FakeCluster twoRegions() {
    FakeCluster cluster = FakeCluster.start(2, "m");
    cluster.setLeader(2, "n2");
    return cluster;
  }

  /** The first node serves region 0, so that it receives requests for changes. */
  static FakeNode servingRegion0(FakeCluster cluster) {
    FakeNode node = cluster.node(1);
    Replica replica =
        Replica.newBuilder().setRegion(0).setEpoch(1).addReplicas("n1").setServing(true).build();
    node.always(Opcode.STATUS, Reaction.changedStatus(status -> status.addReplicas(replica)));
    return node;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static Optional<String> text(Optional<byte[]> bytes) {
    return bytes.map(present -> new String(present, StandardCharsets.UTF_8));
  }

  /** Returns the exception with which the call fails. */
  static Throwable failure(CompletableFuture<?> call) {
    try {
      Object value = call.join();
      return Assertions.fail("The call did not fail, but returned " + value);
    } catch (CompletionException e) {
      return e.getCause();
    }
  }
}
