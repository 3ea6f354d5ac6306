package io.quorate.replication.log;

import static io.quorate.replication.log.SharedLogFixture.A;
import static io.quorate.replication.log.SharedLogFixture.B;
import static io.quorate.replication.log.SharedLogFixture.C;
import static io.quorate.replication.log.SharedLogFixture.LARGE;
import static io.quorate.replication.log.SharedLogFixture.awaitDurable;
import static io.quorate.replication.log.SharedLogFixture.fill;
import static io.quorate.replication.log.SharedLogFixture.segment;

import io.quorate.common.DurableEnd;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.ScannedSegment;
import io.quorate.replication.log.segment.ScannedSegment.Piece;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A log of three groups whose files are changed while it is closed. */
abstract class DamagedLogFixture {
  @TempDir Path parent;

  @AfterEach
  void disableFailpoints() {
    Failpoint.known().forEach(Failpoint::off);
  }

  /** Opens the log and returns the damaged groups. */
  Set<GroupId> damaged() throws IOException {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      Set<GroupId> damaged = new TreeSet<>();
      for (GroupId group : fixture.log.groups()) {
        fixture.log.damage(group).ifPresent(damage -> damaged.add(group));
      }
      return damaged;
    }
  }

  static List<Piece> pieces(Path file) throws IOException {
    SegmentStart start = SegmentStart.read(file).orElseThrow();
    return new ArrayList<>(
        ScannedSegment.load(file, new ScannedSegment.Memory())
            .pieces(start.salt(), start.number()));
  }

  static Predicate<RecordHead> record(GroupId group, int type) {
    return head -> head.group() == group.value() && head.type() == type;
  }

  static Piece find(Path file, Predicate<RecordHead> wanted, int skip) throws IOException {
    return pieces(file).stream()
        .filter(piece -> piece.head().filter(wanted).isPresent())
        .skip(skip)
        .findFirst()
        .orElseThrow();
  }

  static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 4;
    Files.write(file, bytes);
  }

  static void zero(Path file, int from, int to) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, from, to, (byte) 0);
    Files.write(file, bytes);
  }

  static void truncate(Path file, int length) throws IOException {
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length));
  }

  /** Two groups whose records alternate, and one that was idle since; in one segment. */
  void writeThreeGroups() throws IOException {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.create(A);
      GroupLog b = fixture.create(B);
      GroupLog c = fixture.create(C);
      fill(c, 2, 40);
      for (int i = 0; i < 10; i++) {
        fill(a, 1, 100);
        fill(b, 1, 100);
      }
    }
  }

  static void release(GroupLog group, long mark) throws IOException {
    long number = group.release(mark);
    group.flush();
    awaitDurable(group, number);
  }

  byte[] markOf(long segment, long bytes) throws IOException {
    Path other = Files.createDirectories(parent.resolve("mark"));
    DurableEnd.replace(other, new DurableEnd.Mark(segment, bytes));
    return Files.readAllBytes(DurableEnd.file(other));
  }
}
