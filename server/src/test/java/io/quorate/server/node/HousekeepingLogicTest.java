package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Position;
import io.quorate.server.rpc.ServingState;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HousekeepingLogicTest {
  @Test
  void writesStopBelowTheMinimumAndGoOnAQuarterAboveIt() {
    DiskWatermark gauge = new DiskWatermark(100);

    assertThat(gauge.update(100)).isTrue();
    assertThat(gauge.update(99)).isFalse();
    assertThat(gauge.update(110)).isFalse();
    assertThat(gauge.update(125)).isTrue();
    assertThat(gauge.update(110)).isTrue();
  }

  @Test
  void aFullDiskRefusesWritesUntilThereIsSpaceAgain() {
    ServingState gate = new ServingState();
    gate.serve();
    AtomicLong free = new AtomicLong(50 << 20);
    DiskWatch watch = new DiskWatch(free::get, 100 << 20, gate);

    watch.run();
    assertThat(gate.writeRefusal().orElseThrow())
        .contains("50 MiB are free", "storage.free-space-min is 100 MiB");
    free.set(200 << 20);
    watch.run();
    assertThat(gate.writeRefusal()).isEmpty();
  }

  @Test
  void aDiskThatCannotBeMeasuredChangesNothing() {
    ServingState gate = new ServingState();
    gate.serve();
    DiskWatch watch =
        new DiskWatch(
            () -> {
              throw new IOException("no such device");
            },
            100,
            gate);

    watch.run();

    assertThat(gate.writeRefusal()).isEmpty();
  }

  @Test
  void aReplicaThatAppliesNothingIsReportedOnceAndWhenItGoesOn() {
    AtomicLong now = new AtomicLong();
    ApplyWatch watch = new ApplyWatch(null, now::get);
    GroupId region = new GroupId(1);
    Position first = new Position(1, 10);

    assertThat(watch.observe(region, first, 0)).isEmpty();
    now.addAndGet(Duration.ofHours(1).toNanos());
    assertThat(watch.observe(region, first, 0)).isEmpty();
    assertThat(watch.observe(region, first, 5)).isEmpty();
    now.addAndGet(Duration.ofSeconds(4).toNanos());
    assertThat(watch.observe(region, first, 5)).isEmpty();
    now.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(watch.observe(region, first, 5)).contains(ApplyWatch.Change.STANDS_STILL);
    now.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(watch.observe(region, first, 9)).isEmpty();
    assertThat(watch.observe(region, new Position(1, 11), 8)).contains(ApplyWatch.Change.GOES_ON);
    assertThat(watch.observe(region, new Position(1, 12), 7)).isEmpty();
  }

  @Test
  void tellsWhereAReplicaStoodSomeTimeAgo() {
    AppliedHistory samples = new AppliedHistory(Duration.ofNanos(10));
    for (int now = 0; now < 15; now++) {
      samples.add(now, new Position(1, 100 + now));
    }

    assertThat(samples.before(9)).isEmpty();
    assertThat(samples.before(14)).contains(new Position(1, 104));
    assertThat(samples.before(14)).as("older ones are forgotten").isEmpty();
    assertThat(samples.before(15)).contains(new Position(1, 105));
  }

  @Test
  void aGateServesOnceAndStopsForGood() {
    ServingState gate = new ServingState();
    assertThat(gate.writeRefusal()).contains("This node is starting.");
    gate.serve();
    assertThat(gate.writeRefusal()).isEmpty();
    gate.stop();
    gate.serve();
    assertThat(gate.phase()).isEqualTo(ServingState.Phase.STOPPING);
    assertThat(gate.writeRefusal()).contains("This node is stopping.");
  }
}
