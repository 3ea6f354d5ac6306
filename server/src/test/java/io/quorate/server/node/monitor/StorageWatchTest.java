package io.quorate.server.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.storage.options.StorageFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which failures of storage end the node, and when. */
class StorageWatchTest {
  private final List<ConsensusException.Fatal> ends = new ArrayList<>();
  private List<StorageFailure> failures = List.of();
  private long nanos;
  private final StorageWatch watch = new StorageWatch(() -> failures, ends::add, () -> nanos);

  private static StorageFailure failure(StorageFailure.Kind kind) {
    return new StorageFailure(Optional.of(new GroupId(1)), kind, "Writing failed: a reason.");
  }

  private void run(int seconds) {
    for (int i = 0; i < seconds; i++) {
      watch.run();
      nanos += Duration.ofSeconds(1).toNanos();
    }
  }

  @Test
  void anErrorThatLastsEndsTheNodeOnce() {
    failures = List.of(failure(StorageFailure.Kind.IO));
    run(30);
    assertThat(ends).isEmpty();
    run(60);
    assertThat(ends).hasSize(1);
    assertThat(ends.get(0)).hasMessageContaining("by a restart: Writing failed: a reason.");
  }

  @Test
  void anErrorThatEndsDoesNot() {
    for (int i = 0; i < 10; i++) {
      failures = List.of(failure(StorageFailure.Kind.IO));
      run(29);
      failures = List.of();
      run(1);
    }
    assertThat(ends).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IO")
  void whatARestartDoesNotRepairDoesNot(StorageFailure.Kind kind) {
    failures = List.of(failure(kind));
    run(1000);
    assertThat(ends).isEmpty();
  }
}
