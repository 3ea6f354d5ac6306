package io.quorate.replication.log;

import io.quorate.common.DurableEnd;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Copies of a log as the end of the process or a power loss would leave it at a failpoint. The disk
 * of a power loss has what was synced, and any of the sectors that were written since.
 */
final class CrashImages {
  private static final int SECTOR = 512;

  private final Path parent;
  private final TreeMap<Long, byte[]> synced = new TreeMap<>();
  private final List<byte[]> marks = new ArrayList<>();
  private long markedSegment;

  /** Watches the log of a directory. Before it is opened; failpoints are of the process. */
  CrashImages(Path parent) {
    this.parent = parent;
    LogPoints.CREATED.on((at, subject) -> synced(number(subject)));
    LogPoints.AFTER_SYNC.on((at, subject) -> synced(number(subject)));
    LogPoints.BEFORE_WRITE.on((at, subject) -> beforeWrite(number(subject)));
    LogPoints.BEFORE_COMPLETION.on((at, subject) -> marked());
  }

  /** The number of the segment that a failpoint is about. */
  static long number(Object subject) {
    return ((SegmentStart) subject).number();
  }

  /** To be called by who replaces the action of this failpoint. */
  synchronized void synced(long segment) throws IOException {
    synced.put(segment, Files.readAllBytes(SharedLogFixture.segment(parent, (int) segment)));
  }

  /** As {@link #synced}. */
  synchronized void beforeWrite(long segment) throws IOException {
    if (segment != markedSegment) {
      // What was stated of the segment before is synced when the next one begins.
      marks.clear();
      markedSegment = segment;
    }
    marked();
  }

  /** As {@link #synced}. */
  synchronized void marked() throws IOException {
    marks.add(Files.readAllBytes(mark(parent)));
  }

  private static Path mark(Path parent) {
    return DurableEnd.file(SharedLogFixture.end(parent));
  }

  /** What a process leaves that ends now. */
  synchronized void killed(Path to) throws IOException {
    byte[] mark = Files.readAllBytes(mark(parent));
    copySegments(to);
    Files.write(mark(to), mark);
  }

  /** What a power loss leaves. On the log's thread. */
  synchronized void powerLost(Path to, Random random) throws IOException {
    byte[] mark =
        marks.isEmpty()
            ? Files.readAllBytes(mark(parent))
            : marks.get(random.nextInt(marks.size()));
    copySegments(to);
    Files.write(mark(to), mark);
    List<Integer> numbers = SharedLogFixture.segments(to);
    int newest = numbers.get(numbers.size() - 1);
    byte[] before = synced.get((long) newest);
    if (before != null) {
      Path file = SharedLogFixture.segment(to, newest);
      Files.write(file, mixed(before, Files.readAllBytes(file), random));
    }
  }

  /** The segments, of which some may be deleted meanwhile. */
  private void copySegments(Path to) throws IOException {
    Files.createDirectories(SharedLogFixture.directory(to));
    Files.createDirectories(SharedLogFixture.end(to));
    try (Stream<Path> files = Files.list(SharedLogFixture.directory(parent))) {
      for (Path file : files.sorted().toList()) {
        try {
          Files.copy(file, SharedLogFixture.directory(to).resolve(file.getFileName()));
        } catch (NoSuchFileException e) {
          // Deleted.
        }
      }
    }
  }

  private static byte[] mixed(byte[] before, byte[] after, Random random) {
    int length = before.length;
    if (after.length > length && random.nextInt(4) > 0) {
      length += random.nextInt(after.length - length + 1);
    }
    byte[] mixed = Arrays.copyOf(before, length);
    int chance = random.nextInt(5);
    for (int from = 0; from < length; from += SECTOR) {
      if (random.nextInt(4) < chance) {
        System.arraycopy(after, from, mixed, from, Math.min(SECTOR, length - from));
      }
    }
    return mixed;
  }
}
