package io.quorate.ratis.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Schedules of faults, most of which change the leader, lose no acknowledged write and leave equal
 * replicas, each majority of which restores every value. {@code -Dschedules} is their number for
 * each size of the group, {@code -DfirstSeed} the first seed.
 */
class CodedScheduleTest {
  private static final int FEW = 2;
  private static final int SCHEDULES = Integer.getInteger("schedules", 10);
  private static final long FIRST = Long.getLong("firstSeed", 1);
  private static final int PROGRESS = 10;

  @TempDir Path directory;

  @Test
  void threeReplicasLoseNothing() throws IOException, InterruptedException {
    run(3, FEW);
  }

  @Test
  @Tag("slow")
  void threeReplicasLoseNothingInManySchedules() throws IOException, InterruptedException {
    run(3, SCHEDULES);
  }

  @Test
  @Tag("slow")
  void fiveReplicasLoseNothingInManySchedules() throws IOException, InterruptedException {
    run(5, SCHEDULES);
  }

  private void run(int nodes, int count) throws IOException, InterruptedException {
    long start = System.nanoTime();
    try (Schedules schedules = new Schedules(directory, nodes)) {
      for (int i = 0; i < count; i++) {
        assertThat(schedules.run(FIRST + i)).isEmpty();
        if ((i + 1) % PROGRESS == 0) {
          long seconds = (System.nanoTime() - start) / 1_000_000_000;
          System.out.printf("%d nodes: %d schedules in %d s%n", nodes, i + 1, seconds);
        }
      }
      System.out.printf(
          "%d nodes, seeds %d to %d: %s%n", nodes, FIRST, FIRST + count - 1, schedules);
    }
  }
}
