package io.quorate.replication.log;

import static io.quorate.replication.log.SharedLogFixture.A;
import static io.quorate.replication.log.SharedLogFixture.B;
import static io.quorate.replication.log.SharedLogFixture.OWNER;
import static io.quorate.replication.log.SharedLogFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import io.quorate.replication.log.segment.SegmentBytes;
import io.quorate.replication.log.segment.SegmentDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Records whose checksums match and that no log writes: damage, and no other failure. */
class ImpossibleRecordsTest extends DamagedLogFixture {
  private static final int ROUNDS = 300;
  private static final int RECORDS_MAX = 12;
  private static final int PAYLOAD_BYTES_MAX = 36;
  private static final byte[] NOTHING = {};
  private static final int[] TYPES = {
    RecordType.CREATED,
    RecordType.REMOVED,
    RecordType.LOW_WATER,
    RecordType.TRUNCATED,
    RecordType.BASE,
    RecordType.DAMAGED,
    RecordType.BASES,
    RecordType.PURGED,
    RecordType.ENTRY,
    RecordType.rewritten(RecordType.ENTRY),
    RecordType.state(0),
    RecordType.event(1),
    RecordType.rewritten(RecordType.event(1))
  };

  private void write(SegmentBytes records) throws IOException {
    byte[] bytes = records.toBytes();
    Files.createDirectories(SharedLogFixture.directory(parent));
    Files.createDirectories(SharedLogFixture.end(parent));
    Files.write(segment(parent, 1), bytes);
    DurableEnd.replace(SharedLogFixture.end(parent), new DurableEnd.Mark(1, bytes.length));
  }

  @Test
  void aCopyWithoutItsOrderConcernsItsGroup() throws Exception {
    int copy = RecordType.rewritten(RecordType.ENTRY);
    write(
        new SegmentBytes(1, OWNER)
            .add(RecordType.CREATED, A.value(), 1, 0, 1, NOTHING)
            .add(RecordType.CREATED, B.value(), 1, 0, 1, NOTHING)
            .add(copy, A.value(), 2, 1, 1, new byte[Long.BYTES - 1])
            .add(RecordType.ENTRY, B.value(), 2, 1, 1, new byte[1]));
    assertThat(damaged()).containsExactly(A);
  }

  /**
   * The segments were deleted before anything else was read. Once the log runs it may delete this
   * one, whose only group is damaged.
   */
  @Test
  void aSegmentThatSaysThatItMayBeDeletedIsKept() throws Exception {
    write(
        new SegmentBytes(1, OWNER)
            .add(RecordType.BASES, RecordHead.NO_GROUP, 1, 0, 1, NOTHING)
            .add(RecordType.CREATED, A.value(), 1, 0, 1, NOTHING));
    recover();
    assertThat(segment(parent, 1)).exists();
    assertThatCode(this::damaged).doesNotThrowAnyException();
  }

  @Test
  void anyRecordsAreReadOrAreDamage() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      write(anyRecords(random));
      try {
        recover();
      } catch (DamagedLogException e) {
        // Nothing can be said of any group.
      } catch (IOException | RuntimeException e) {
        throw new AssertionError("seed " + seed + ", round " + round, e);
      }
    }
  }

  private void recover() throws IOException {
    SharedLogCounters counters = new SharedLogCounters();
    RecentRecords recent = new RecentRecords(counters, 1 << 20);
    Optional<DurableEnd.Mark> end = DurableEnd.read(SharedLogFixture.end(parent));
    SegmentDirectory directory = new SegmentDirectory(SharedLogFixture.directory(parent));
    new SharedLogRecovery(directory, end, OWNER, recent, 1 << 20, counters)
        .recover(1)
        .groups()
        .values()
        .forEach(RecoveringGroup::index);
  }

  private static SegmentBytes anyRecords(Random random) {
    SegmentBytes records = new SegmentBytes(1, OWNER);
    for (int i = 1; i <= 1 + random.nextInt(RECORDS_MAX); i++) {
      byte[] payload = new byte[random.nextInt(PAYLOAD_BYTES_MAX)];
      random.nextBytes(payload);
      records.add(
          TYPES[random.nextInt(TYPES.length)],
          random.nextInt(3) - 1,
          random.nextInt(4) == 0 ? any(random) : i,
          random.nextInt(4) == 0 ? any(random) : 0,
          random.nextInt(4) == 0 ? any(random) : i,
          payload);
    }
    return records;
  }

  private static long any(Random random) {
    return random.nextBoolean() ? random.nextLong() : random.nextInt();
  }
}
