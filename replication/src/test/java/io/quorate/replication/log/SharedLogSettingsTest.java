package io.quorate.replication.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.EngineSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SharedLogSettingsTest {
  private static final long MIB = 1 << 20;

  private static SharedLogSettings withHeap(long heapBytes) {
    return SharedLogSettings.from(
        new EngineSettings("engine", Map.of()), 96 * MIB, 100 * MIB, heapBytes);
  }

  @Test
  void theRecordsInMemoryFollowASmallHeap() {
    assertThat(withHeap(512 * MIB).memoryBytes()).isEqualTo(96 * MIB);
    assertThat(withHeap(512 * MIB).queueBytes()).isEqualTo(64 * MIB);
    assertThat(withHeap(100 * MIB).memoryBytes()).isEqualTo(20 * MIB);
    assertThat(withHeap(100 * MIB).queueBytes()).isEqualTo(20 * MIB);
    assertThat(withHeap(MIB).memoryBytes()).as("room for some records").isEqualTo(4 * MIB);
  }
}
