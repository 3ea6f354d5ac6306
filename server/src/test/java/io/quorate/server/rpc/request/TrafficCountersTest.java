package io.quorate.server.rpc.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.TrafficSample;
import org.junit.jupiter.api.Test;

class TrafficCountersTest {
  private final TrafficCounters counters = new TrafficCounters();

  @Test
  void aSampleHasTheRequestsSinceTheLastOne() {
    counters.responded(Opcode.GET, Status.OK, 1_000_000);
    TrafficCounters.Snapshot first = counters.snapshot();
    counters.responded(Opcode.GET, Status.OK, 2_000_000);
    counters.responded(Opcode.SCAN, Status.OK, 2_000_000);
    counters.responded(Opcode.READ_REPLY, Status.OK, 2_000_000);
    counters.responded(Opcode.WRITE, Status.OK, 9_000_000);
    TrafficSample sample = counters.snapshot().since(first);
    assertThat(sample.getReads()).isEqualTo(3);
    assertThat(sample.getWrites()).isEqualTo(1);
    assertThat(sample.getReadLatency().getMeanMicros()).isBetween(1750L, 2250L);
    assertThat(sample.getWriteLatency().getP99Micros()).isBetween(8000L, 10_000L);
    assertThat(counters.snapshot().since(counters.snapshot()))
        .isEqualTo(TrafficSample.getDefaultInstance());
  }

  /** A redirected request is sent again, and counts where it is served. */
  @Test
  void failuresAreReadsAndWritesThatWereNeitherServedNorRedirected() {
    TrafficCounters.Snapshot first = counters.snapshot();
    for (Status status : Status.values()) {
      counters.responded(Opcode.WRITE, status, 1_000_000);
      counters.responded(Opcode.STATUS, status, 1_000_000);
    }
    TrafficSample sample = counters.snapshot().since(first);
    assertThat(sample.getWrites()).isEqualTo(1);
    assertThat(sample.getReads()).isZero();
    assertThat(sample.getFailures()).isEqualTo(Status.values().length - 3);
  }
}
