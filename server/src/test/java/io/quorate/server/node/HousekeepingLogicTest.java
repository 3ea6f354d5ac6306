package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.server.node.monitor.ApplyWatch;
import io.quorate.server.node.monitor.DiskWatch;
import io.quorate.server.node.monitor.DiskWatermark;
import io.quorate.server.rpc.ServingState;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HousekeepingLogicTest {
  @Test
  void writesStopBelowTheMinimumAndResumeAQuarterAboveIt() {
    DiskWatermark watermark = new DiskWatermark(100);

    assertThat(watermark.update(100)).isTrue();
    assertThat(watermark.update(99)).isFalse();
    assertThat(watermark.update(110)).isFalse();
    assertThat(watermark.update(125)).isTrue();
    assertThat(watermark.update(110)).isTrue();
  }

  @Test
  void aFullDiskRejectsWritesUntilThereIsSpaceAgain() {
    ServingState servingState = new ServingState();
    servingState.serve();
    AtomicLong free = new AtomicLong(50 << 20);
    AtomicInteger reliefs = new AtomicInteger();
    DiskWatch watch =
        new DiskWatch(
            free::get,
            () -> Long.MAX_VALUE,
            100 << 20,
            servingState,
            reliefs::incrementAndGet,
            () -> 0);

    watch.run();
    assertThat(reliefs).hasValue(1);
    assertThat(servingState.writeRefusal().orElseThrow())
        .contains("50 MiB are free", "storage.free-space-min is 100 MiB");
    free.set(200 << 20);
    watch.run();
    assertThat(servingState.writeRefusal()).isEmpty();
    assertThat(reliefs).hasValue(1);
  }

  @Test
  void aFullDiskOfTheLogRejectsWritesToo() {
    ServingState servingState = new ServingState();
    servingState.serve();
    DiskWatch watch =
        new DiskWatch(() -> 200 << 20, () -> 40 << 20, 100 << 20, servingState, () -> {}, () -> 0);

    watch.run();

    assertThat(servingState.writeRefusal().orElseThrow()).contains("40 MiB are free");
    assertThat(watch.freeBytes()).isEqualTo(200 << 20);
    assertThat(watch.freeLogBytes()).isEqualTo(40 << 20);
  }

  @Test
  void aDiskThatCannotBeMeasuredChangesNothing() {
    ServingState servingState = new ServingState();
    servingState.serve();
    DiskWatch watch =
        new DiskWatch(
            () -> {
              throw new IOException("no such device");
            },
            () -> 0,
            100,
            servingState,
            () -> {},
            () -> 0);

    watch.run();

    assertThat(servingState.writeRefusal()).isEmpty();
  }

  @Test
  void aReplicaThatAppliesNothingIsReportedOnceAndWhenItResumes() {
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
  void returnsTheAppliedPositionOfAnEarlierTime() {
    AppliedHistory samples = new AppliedHistory(Duration.ofNanos(10));
    for (int now = 0; now < 15; now++) {
      samples.add(now, new Position(1, 100 + now));
    }

    assertThat(samples.before(9)).isEmpty();
    assertThat(samples.before(14)).contains(new Position(1, 104));
    assertThat(samples.before(14)).as("older samples are removed").isEmpty();
    assertThat(samples.before(15)).contains(new Position(1, 105));
  }

  @Test
  void aStoppedNodeDoesNotServeAgain() {
    ServingState servingState = new ServingState();
    assertThat(servingState.writeRefusal()).contains("This node is starting.");
    servingState.serve();
    assertThat(servingState.writeRefusal()).isEmpty();
    servingState.stop();
    servingState.serve();
    assertThat(servingState.phase()).isEqualTo(ServingState.Phase.STOPPING);
    assertThat(servingState.writeRefusal()).contains("This node is stopping.");
  }
}
