package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateClient;
import io.quorate.client.RefusedException;
import io.quorate.client.WriteOutcome;
import io.quorate.testing.EmbeddedCluster;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application waits for the outcome of a write whose responses are lost. */
@Timeout(180)
class AwaitedWriteTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void aWriteWhoseResponsesAreLostTakesEffectOnceAndReturnsItsResult(String preset) {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(3, preset);
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      client.withDeadline(PATIENCE).put("text", "no number");
      client.put("n", "41");
      cluster.faults().dropResponses();
      AsyncQuorateClient impatient = client.async().withDeadline(Duration.ofSeconds(2));
      CompletableFuture<Long> increment = impatient.incrementAndGet("n", 1);
      CompletableFuture<Long> noNumber = impatient.incrementAndGet("text", 1);
      IndeterminateException incremented = failure(increment);
      IndeterminateException refused = failure(noNumber);
      assertThatThrownBy(() -> incremented.await(Duration.ofSeconds(1)))
          .as("while responses are lost")
          .isInstanceOf(IndeterminateException.class);
      cluster.faults().heal();
      assertThat(incremented.await(PATIENCE))
          .isInstanceOfSatisfying(
              WriteOutcome.Sum.class, sum -> assertThat(sum.value()).isEqualTo(42));
      assertThatThrownBy(() -> refused.await(PATIENCE)).isInstanceOf(RefusedException.class);
      assertThat(client.get("n")).contains("42");
      assertThat(client.get("text")).contains("no number");
      assertThat(client.incrementAndGet("n", 1)).isEqualTo(43);
    }
  }

  private static IndeterminateException failure(CompletableFuture<?> write) {
    CompletionException thrown = catchThrowableOfType(CompletionException.class, write::join);
    assertThat(thrown).hasCauseInstanceOf(IndeterminateException.class);
    return (IndeterminateException) thrown.getCause();
  }
}
