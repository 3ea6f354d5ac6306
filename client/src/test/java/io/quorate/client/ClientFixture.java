package io.quorate.client;

import io.quorate.client.fake.FakeCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.Assertions;

/** What the tests of the client against a {@link FakeCluster} share. */
final class ClientFixture {
  /** Longer than a busy machine takes to answer. */
  static final Duration ATTEMPT = Duration.ofSeconds(5);

  /** Where the end of an attempt is what is tested: short enough to wait for. */
  static final Duration IMPATIENT = Duration.ofMillis(400);

  private ClientFixture() {}

  static ClientOptions.Builder options(FakeCluster cluster) {
    return ClientOptions.builder(cluster.addresses())
        .deadline(Duration.ofSeconds(20))
        .attemptTimeout(ATTEMPT)
        .silenceMax(ATTEMPT);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static Optional<String> text(Optional<byte[]> bytes) {
    return bytes.map(present -> new String(present, StandardCharsets.UTF_8));
  }

  /** How the call failed. */
  static Throwable failure(CompletableFuture<?> call) {
    try {
      Object value = call.join();
      return Assertions.fail("The call was to fail, but answered " + value);
    } catch (CompletionException e) {
      return e.getCause();
    }
  }
}
