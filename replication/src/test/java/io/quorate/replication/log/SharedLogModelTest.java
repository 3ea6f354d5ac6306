package io.quorate.replication.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random operations of several groups, with crashes at any step and power losses, compared with a
 * simple model: what was acknowledged is there, each group has a prefix of what it did, and what
 * was cut does not come back.
 */
class SharedLogModelTest {
  private static final int GROUPS = 6;

  @TempDir private Path parent;

  private long deleted;
  private long rewritten;
  private long crashes;
  private long shorter;

  @AfterEach
  void disableFailpoints() {
    Failpoint.known().forEach(Failpoint::off);
  }

  @Test
  void whatWasAcknowledgedIsFound() throws Exception {
    runAll(15);
    assertThat(crashes).isGreaterThan(15);
    assertThat(deleted).isGreaterThan(30);
    assertThat(rewritten).isGreaterThan(30);
    assertThat(shorter).isGreaterThan(3);
  }

  @Test
  @Tag("slow")
  void whatWasAcknowledgedIsFoundInManyRuns() throws Exception {
    runAll(400);
  }

  private void runAll(int runs) throws Exception {
    long base = Long.getLong("quorate.seed", new Random().nextLong());
    for (int run = 0; run < runs; run++) {
      long seed = base + run;
      try {
        new Run(parent.resolve("run-" + run), new Random(seed)).run();
      } catch (Exception | AssertionError e) {
        throw new AssertionError("-Dquorate.seed=" + seed, e);
      }
    }
  }

  /** Several starts of one log. */
  private final class Run {
    private final Path home;
    private final Random random;

    /** The generations of groups that may be in the log. */
    private final TreeMap<GroupId, List<GroupModel>> models = new TreeMap<>();

    private final TreeMap<GroupId, GroupLog> open = new TreeMap<>();
    private CrashImages images;
    private volatile boolean crashed;
    private int untilCrash;
    private Path next;

    Run(Path home, Random random) {
      this.home = home;
      this.random = random;
    }

    void run() throws Exception {
      Path directory = home.resolve("0");
      for (int start = 1; start <= 6; start++) {
        next = home.resolve(Integer.toString(start));
        start(directory);
        directory = next;
      }
    }

    private void start(Path directory) throws Exception {
      images = new CrashImages(directory);
      crashed = false;
      untilCrash = random.nextInt(3) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(300);
      SharedLogFixture fixture;
      try {
        fixture = new SharedLogFixture(directory, settings());
      } catch (IOException e) {
        throw new AssertionError("The log cannot be opened", e);
      }
      verify(fixture.log);
      watch();
      int operations = 50 + random.nextInt(400);
      for (int i = 0; i < operations && !crashed; i++) {
        operate(fixture.log);
      }
      if (random.nextBoolean()) {
        kill();
      }
      deleted += fixture.log.counters().deletedSegments();
      rewritten += fixture.log.counters().rewrittenRecords();
      fixture.close();
      Failpoint.known().forEach(Failpoint::off);
      if (!crashed) {
        acknowledge();
        SharedLogFixture.copy(directory, next);
      } else {
        crashes++;
      }
    }

    private SharedLogSettings settings() {
      return new SharedLogSettings(
          2048, 4096, Duration.ofMillis(1), 1 << 16, 16 << 10, 16 << 10, 1L << 40, 1L << 40);
    }

    // Crashes

    private void watch() {
      LogPoints.BEFORE_WRITE.on(
          (at, subject) -> {
            images.beforeWrite(CrashImages.number(subject));
            step(true);
          });
      LogPoints.AFTER_WRITE.on((at, subject) -> step(true));
      LogPoints.BEFORE_SYNC.on((at, subject) -> step(true));
      LogPoints.AFTER_SYNC.on(
          (at, subject) -> {
            images.synced(CrashImages.number(subject));
            step(true);
          });
      LogPoints.BEFORE_COMPLETION.on(
          (at, subject) -> {
            images.marked();
            step(true);
          });
      LogPoints.BEFORE_ROLL.on((at, subject) -> step(true));
      LogPoints.CREATED.on(
          (at, subject) -> {
            images.synced(CrashImages.number(subject));
            step(true);
          });
      LogPoints.BEFORE_DELETE.on((at, subject) -> step(false));
      LogPoints.AFTER_DELETE.on((at, subject) -> step(false));
    }

    private synchronized void kill() throws IOException {
      if (!crashed) {
        acknowledge();
        images.killed(next);
        crashed = true;
      }
    }

    private synchronized void step(boolean isWriter) throws IOException {
      if (crashed) {
        throw new IOException("crashed");
      }
      untilCrash--;
      if (untilCrash > 0) {
        return;
      }
      acknowledge();
      if (isWriter && random.nextInt(3) > 0) {
        images.powerLost(next, new Random(untilCrash + next.toString().hashCode()));
      } else {
        images.killed(next);
      }
      crashed = true;
      throw new IOException("crashed");
    }

    private void acknowledge() {
      models
          .values()
          .forEach(
              generations ->
                  generations.forEach(
                      model -> {
                        model.acknowledgedBefore = model.acknowledged;
                        model.wasRemovalAcknowledged = model.isRemovalAcknowledged;
                      }));
    }

    // Verification

    private void verify(SharedLog log) throws IOException {
      open.clear();
      for (int number = 0; number < GROUPS; number++) {
        GroupId id = new GroupId(number);
        assertThat(log.damage(id)).as("damage of group %s", id).isEmpty();
        List<GroupModel> generations = models.computeIfAbsent(id, key -> new ArrayList<>());
        if (log.groups().contains(id)) {
          GroupModel found = verify(log, id, generations);
          synchronized (this) {
            generations.clear();
            generations.add(found);
          }
        } else {
          for (GroupModel generation : generations) {
            assertThat(generation.isRemovalRequested || generation.acknowledgedBefore == 0)
                .as("group %s is missing", id)
                .isTrue();
          }
          synchronized (this) {
            generations.clear();
          }
        }
      }
    }

    private GroupModel verify(SharedLog log, GroupId id, List<GroupModel> generations)
        throws IOException {
      GroupLog group = log.open(id, Runnable::run, new SharedLogFixture.Told()).orElseThrow();
      GroupModel found = null;
      for (GroupModel generation : generations) {
        if (generation.generation == group.generation()) {
          found = generation;
        } else if (generation.generation > group.generation()) {
          assertThat(generation.acknowledgedBefore).as("a later generation of %s", id).isZero();
        }
      }
      assertThat(found).as("the generation of group %s", id).isNotNull();
      assertThat(found.wasRemovalAcknowledged).as("the removal of group %s", id).isFalse();
      assertThat(group.recovered())
          .as("records of group %s", id)
          .isGreaterThanOrEqualTo(found.acknowledgedBefore);
      if (group.recovered() < found.lastNumber()) {
        shorter++;
      }
      GroupModel prefix = found.upTo(group.recovered());
      assertThat(prefix.differenceTo(group)).as("group %s", id).isEmpty();
      log.open(id, Runnable::run, prefix).orElseThrow();
      open.put(id, group);
      return prefix;
    }

    // Operations

    private void operate(SharedLog log) throws Exception {
      // The first groups are idle most of the time.
      int number = random.nextInt(3) > 0 ? GROUPS - 1 - random.nextInt(2) : random.nextInt(GROUPS);
      GroupId id = new GroupId(number);
      try {
        GroupLog group = open.get(id);
        if (group == null) {
          create(log, id);
        } else if (random.nextInt(150) == 0) {
          remove(log, id);
        } else {
          operate(model(id), group);
        }
      } catch (IOException e) {
        // The log has failed, which a failpoint may just be telling.
        SharedLogFixture.await().until(() -> crashed);
      }
    }

    private GroupModel model(GroupId id) {
      List<GroupModel> generations = models.get(id);
      return generations.get(generations.size() - 1);
    }

    private void create(SharedLog log, GroupId id) throws IOException {
      long first = random.nextInt(3);
      GroupModel[] model = new GroupModel[1];
      GroupModel told = new GroupModel(id, 0, false);
      GroupLog group = log.create(id, first, Runnable::run, told);
      model[0] = new GroupModel(id, group.generation(), id.value() % 2 == 0);
      model[0].released(1, first);
      synchronized (this) {
        models.get(id).add(model[0]);
        model[0].acknowledged = 0;
      }
      log.open(id, Runnable::run, model[0]);
      if (group.durable() > 0) {
        model[0].acknowledged = Math.max(model[0].acknowledged, group.durable());
      }
      open.put(id, group);
    }

    private void remove(SharedLog log, GroupId id) throws Exception {
      GroupModel model = model(id);
      model.isRemovalRequested = true;
      open.remove(id);
      var removal = log.remove(id, Runnable::run);
      removal.thenRun(() -> model.isRemovalAcknowledged = true);
      if (random.nextBoolean()) {
        try {
          removal.get(20, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
          throw new IOException(e);
        }
      }
    }

    private void operate(GroupModel model, GroupLog group) throws Exception {
      GroupModel.State state = model.now;
      int choice = random.nextInt(20);
      if (choice == 0) {
        byte[] bytes = bytes(30);
        int key = random.nextInt(3);
        model.set(group.putState(key, bytes), key, bytes);
      } else if (choice < 3) {
        release(model, group);
      } else if (choice < 5 && model.hasEntries && state.next > state.lowWater) {
        long from = state.next - random.nextInt((int) Math.min(4, state.next - state.lowWater)) - 1;
        model.truncated(group.truncate(from), from);
      } else if (choice < 6) {
        SharedLogFixture.awaitDurable(group, 0);
        compareNow(model, group);
      } else {
        append(model, group);
      }
      if (random.nextInt(3) > 0) {
        group.flush();
      }
      if (random.nextInt(25) == 0) {
        long through = group.sequence();
        group.flush();
        SharedLogFixture.await().until(() -> crashed || group.durable() >= through);
      }
    }

    private void compareNow(GroupModel model, GroupLog group) throws IOException {
      String difference = model.differenceTo(group);
      assertThat(difference).as("group %s while it is open", model.id).isEmpty();
    }

    private void release(GroupModel model, GroupLog group) throws IOException {
      GroupModel.State state = model.now;
      long live = model.hasEntries ? state.next - state.lowWater : state.events.size();
      long mark = state.lowWater + random.nextInt((int) live + 2);
      if (random.nextInt(10) == 0) {
        mark += 3;
      }
      if (mark > state.lowWater) {
        model.released(group.release(mark), mark);
      }
    }

    private void append(GroupModel model, GroupLog group) throws IOException {
      GroupModel.State state = model.now;
      byte[] bytes = bytes(random.nextInt(20) == 0 ? 3000 : 150);
      long epoch = 1 + random.nextInt(100);
      if (model.hasEntries) {
        if (!group.hasRoom()) {
          Thread.yield();
          return;
        }
        Position at = new Position(epoch, state.next);
        model.appended(group.appendEntry(at, bytes, null), at, bytes);
      } else {
        int kind = random.nextInt(64);
        Position at = new Position(epoch, state.lowWater + random.nextInt(8));
        long number = group.appendEvent(kind, at, bytes, random.nextBoolean());
        model.happened(number, kind, at, bytes);
      }
    }

    private byte[] bytes(int max) {
      byte[] bytes = new byte[random.nextInt(max)];
      if (random.nextInt(3) > 0) {
        random.nextBytes(bytes);
      }
      return bytes;
    }
  }
}
