package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class FailuresTest {
  private final IllegalStateException failure =
      new IllegalStateException("failed", new RuntimeException("cause"));

  @Test
  void aPlainFailureIsUnchanged() {
    assertThat(Failures.unwrap(failure)).isSameAs(failure);
  }

  @Test
  void allWrappersAreRemoved() {
    assertThat(Failures.unwrap(new CompletionException(failure))).isSameAs(failure);
    assertThat(Failures.unwrap(new ExecutionException(new CompletionException(failure))))
        .isSameAs(failure);
  }

  @Test
  void aWrapperWithoutACauseIsTheFailure() {
    CompletionException empty = new CompletionException("no cause", null);
    assertThat(Failures.unwrap(empty)).isSameAs(empty);
  }

  @Test
  void aDependentStageFailsWithTheSameFailure() {
    CompletableFuture<String> dependent =
        CompletableFuture.<String>failedFuture(failure).thenApply(done -> done);
    assertThat(dependent.handle((done, thrown) -> Failures.unwrap(thrown)).join())
        .isSameAs(failure);
  }
}
