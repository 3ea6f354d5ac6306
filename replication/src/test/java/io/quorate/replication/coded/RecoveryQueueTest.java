package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecoveryQueueTest {
  private final RecoveryQueue recoveries = new RecoveryQueue(100);
  private final List<String> begun = new ArrayList<>();

  private void begin(long bytes, String name) {
    recoveries.begin(bytes, () -> begun.add(name));
  }

  @Test
  void aRecoveryBeyondTheBoundWaitsForOthersToEnd() {
    begin(60, "a");
    begin(40, "b");
    begin(1, "c");
    assertThat(begun).containsExactly("a", "b");
    recoveries.end(40);
    assertThat(begun).containsExactly("a", "b", "c");
  }

  /** A large one would otherwise wait for as long as small ones arrive. */
  @Test
  void noRecoveryOvertakesOneThatWaits() {
    begin(60, "a");
    begin(50, "b");
    begin(10, "c");
    assertThat(begun).containsExactly("a");
    recoveries.end(60);
    assertThat(begun).containsExactly("a", "b", "c");
  }

  @Test
  void aRecoveryOfAnySizeBeginsAlone() {
    begin(1000, "large");
    begin(1, "small");
    assertThat(begun).containsExactly("large");
    recoveries.end(1000);
    assertThat(begun).containsExactly("large", "small");
    begin(1000, "waits");
    assertThat(begun).hasSize(2);
    recoveries.end(1);
    assertThat(begun).hasSize(3);
  }
}
