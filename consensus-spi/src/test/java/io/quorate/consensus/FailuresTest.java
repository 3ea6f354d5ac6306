package io.quorate.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class FailuresTest {
  private final IllegalStateException failure =
      new IllegalStateException("it failed", new RuntimeException("and this is why"));

  @Test
  void aFailureItselfIsLeftAlone() {
    assertThat(Failures.unwrap(failure)).isSameAs(failure);
  }

  @Test
  void whatStagesWrapItInIsTakenOffHoweverOften() {
    assertThat(Failures.unwrap(new CompletionException(failure))).isSameAs(failure);
    assertThat(Failures.unwrap(new ExecutionException(new CompletionException(failure))))
        .isSameAs(failure);
  }

  @Test
  void aWrapWithNothingInItIsTheFailure() {
    CompletionException empty = new CompletionException("nothing inside", null);
    assertThat(Failures.unwrap(empty)).isSameAs(empty);
  }

  @Test
  void aDependentStageFailsWithTheSame() {
    CompletableFuture<String> dependent =
        CompletableFuture.<String>failedFuture(failure).thenApply(done -> done);
    assertThat(dependent.handle((done, why) -> Failures.unwrap(why)).join()).isSameAs(failure);
  }
}
