package io.quorate.ratis.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLogFormat;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLogOutputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Log files, also those that former versions filled with zeros, torn files, and damaged files. */
class LogVerifierTest {
  private static final int ENTRY_MAX = 1 << 20;
  private static final int PREALLOCATED = 8 << 10;
  private static final int SECTOR = 512;

  @TempDir private Path directory;

  private byte value = (byte) 0xd7;

  /** Of the last file. */
  private SegmentedRaftLogOutputStream out;

  /** The offset at which each entry ends; the end of the header is at index 0. */
  private final List<Integer> ends = new ArrayList<>();

  /**
   * What a group commit wrote reaches the disk sector by sector, whatever its entries consist of.
   */
  @Test
  void aTornTailOfAnyValueIsTruncated() throws IOException {
    for (byte fill : new byte[] {(byte) 0xd7, 0}) {
      value = fill;
      Path log = writeEntries("log_inprogress_0", 0, 4, 4096);
      markUpTo(3);
      byte[] all = Files.readAllBytes(log);
      for (int cut = SECTOR * (ends.get(3) / SECTOR + 1); cut < ends.get(4); cut += SECTOR) {
        Files.write(log, Arrays.copyOf(all, cut));

        inspect();

        assertThat(log).as("value %d cut at %d", fill, cut).hasSize(ends.get(3));
      }
    }
  }

  /** The same form as a torn tail, and acknowledged. */
  @Test
  void whatWasDurableIsNoTornTail() throws IOException {
    Path log = writeEntries("log_inprogress_0", 0, 4, 3 * SECTOR);
    byte[] all = Files.readAllBytes(log);
    byte[] hole = all.clone();
    int missing = ends.get(1) / SECTOR * SECTOR + SECTOR;
    Arrays.fill(hole, missing, missing + SECTOR, (byte) 0);
    List<byte[]> damages =
        List.of(
            hole,
            Arrays.copyOf(all, ends.get(3)),
            Arrays.copyOf(all, ends.get(3) / SECTOR * SECTOR + SECTOR),
            Arrays.copyOf(Arrays.copyOf(all, ends.get(2)), all.length),
            new byte[all.length],
            new byte[0]);
    for (byte[] damaged : damages) {
      Files.write(log, damaged);

      assertThatThrownBy(this::inspect)
          .as("damage %d", damages.indexOf(damaged))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(log.toString());
      assertThat(log).hasBinaryContent(damaged);
    }
    Files.write(log, all);
    inspect();
  }

  /**
   * Sectors of entries that were written together, and not acknowledged, may be missing anywhere.
   */
  @Test
  void aHoleAfterWhatWasDurableIsTruncatedWithWhatFollowsIt() throws IOException {
    Path log = writeEntries("log_inprogress_0", 0, 5, 3 * SECTOR);
    markUpTo(2);
    byte[] hole = Files.readAllBytes(log);
    int missing = ends.get(2) / SECTOR * SECTOR + SECTOR;
    Arrays.fill(hole, missing, missing + SECTOR, (byte) 0);
    Files.write(log, hole);

    inspect();

    assertThat(log).hasSize(ends.get(2));
  }

  @Test
  void aMissingNewestFileIsDamage() throws IOException {
    Path older = writeEntries("log_0-2", 0, 3, 100);
    Path newest = writeEntries("log_inprogress_3", 3, 3, 100);
    Files.delete(newest);

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(this::inspect)
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(newest.toString());
      Files.deleteIfExists(older);
    }
  }

  /** Entries of a former leader are replaced after the file is closed. */
  @Test
  void whatRatisCutsIsNotDamaged() throws IOException {
    writeEntries("log_inprogress_0", 0, 4, 100);
    out.close();
    Path cut = directory.resolve("log_0-1");
    Files.write(
        cut, Arrays.copyOf(Files.readAllBytes(directory.resolve("log_inprogress_0")), ends.get(2)));
    Files.delete(directory.resolve("log_inprogress_0"));
    inspect();
    LogVerifier.closed(directory);
    inspect();
    Files.delete(cut);
    inspect();
  }

  @Test
  void aLogThatIsCutAfterItWasClosedIsDamaged() throws IOException {
    Path log = writeEntries("log_inprogress_0", 0, 4, 100);
    out.close();
    LogVerifier.closed(directory);
    inspect();
    Files.write(log, Arrays.copyOf(Files.readAllBytes(log), ends.get(3)));
    assertThatThrownBy(this::inspect)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("durable up to byte " + ends.get(4));
  }

  @Test
  void aDamagedMarkIsReported() throws IOException {
    writeEntries("log_inprogress_0", 0, 4, 100);
    Path mark = DurableEnd.file(directory);
    byte[] bytes = Files.readAllBytes(mark);
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 1;
      Files.write(mark, damaged);
      assertThatThrownBy(this::inspect)
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(mark.toString());
    }
  }

  @Test
  void anUndamagedLogIsNotChanged() throws IOException {
    Path closed = write("log_0-4", 0, 5, 100);
    Path open = write("log_inprogress_5", 5, 7, 100);
    byte[] before = Files.readAllBytes(open);

    inspect();

    assertThat(Files.readAllBytes(open)).isEqualTo(before);
    assertThat(closed).exists();
  }

  @Test
  void aLogThatEndsWithItsEntriesIsNotChanged() throws IOException {
    Path open = writeEntries("log_inprogress_0", 0, 7, 100);
    byte[] before = Files.readAllBytes(open);
    assertThat(before).hasSize(ends.get(7));

    inspect();

    assertThat(Files.readAllBytes(open)).isEqualTo(before);
  }

  /** It may be in memory only, and counts as written after a failed fsync. */
  @Test
  void aFileThatMayNotBeDurableIsWrittenAgain() throws IOException {
    Path closed = write("log_0-4", 0, 5, 100);
    Path open = write("log_inprogress_5", 5, 3, 2 << 18);
    byte[] before = Files.readAllBytes(open);
    FileTime longAgo = FileTime.fromMillis(0);
    Files.setLastModifiedTime(closed, longAgo);
    Files.setLastModifiedTime(open, longAgo);

    inspect();

    assertThat(Files.getLastModifiedTime(closed)).as("synced already").isEqualTo(longAgo);
    assertThat(Files.getLastModifiedTime(open)).isGreaterThan(longAgo);
    assertThat(Files.readAllBytes(open)).isEqualTo(before);
  }

  @Test
  void aMissingLogIsNotDamaged() {
    assertThatCode(() -> new LogVerifier(ENTRY_MAX).inspect(directory.resolve("none"), 0))
        .doesNotThrowAnyException();
  }

  @Test
  void aPreallocatedFileWithoutEntriesIsNotDamaged() throws IOException {
    Files.write(directory.resolve("log_inprogress_0"), new byte[PREALLOCATED]);

    assertThatCode(this::inspect).doesNotThrowAnyException();
  }

  /** No byte of the header or of any entry, also of the last one, may change. */
  @Test
  void everyChangedByteIsDetected() throws IOException {
    Path log = write("log_inprogress_0", 0, 3, 40);
    byte[] before = Files.readAllBytes(log);
    for (int i = 0; i < ends.get(3); i++) {
      byte[] damaged = before.clone();
      damaged[i] ^= 0x41;
      Files.write(log, damaged);

      assertThatThrownBy(this::inspect)
          .as("byte %d", i)
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(log.toString());
      assertThat(Files.readAllBytes(log)).isEqualTo(damaged);
    }
  }

  @Test
  void aFileThatEndsWithinAnEntryIsDamaged() throws IOException {
    Path log = write("log_inprogress_0", 0, 3, 40);
    byte[] before = Files.readAllBytes(log);
    for (int length = ends.get(2) + 1; length < ends.get(3); length++) {
      Files.write(log, Arrays.copyOf(before, length));

      assertThatThrownBy(this::inspect)
          .as("length %d", length)
          .isInstanceOf(DamagedLogException.class);
    }
  }

  @Test
  void anEntryWithAMissingSectorIsTruncated() throws IOException {
    Path log = write("log_inprogress_0", 0, 3, 3 * SECTOR);
    markUpTo(2);
    byte[] torn = Files.readAllBytes(log);
    int missing = ends.get(2) / SECTOR * SECTOR + SECTOR;
    Arrays.fill(torn, missing, missing + SECTOR, (byte) 0);
    Files.write(log, torn);

    inspect();

    assertThat(Files.readAllBytes(log)).isEqualTo(Arrays.copyOf(torn, ends.get(2)));
    inspect();
  }

  /** Sectors of one write reach the disk in any order. */
  @Test
  void anEntryWhoseFirstSectorIsMissingIsTruncated() throws IOException {
    Path log = write("log_inprogress_0", 0, 3, 3 * SECTOR);
    markUpTo(2);
    byte[] torn = Files.readAllBytes(log);
    int next = ends.get(2) / SECTOR * SECTOR + SECTOR;
    Arrays.fill(torn, ends.get(2), next, (byte) 0);
    Files.write(log, torn);

    inspect();

    assertThat(Files.size(log)).isEqualTo(ends.get(2).longValue());
  }

  @Test
  void anEntryThatEndsWithTheFileAtASectorBoundaryIsTruncated() throws IOException {
    Path log = write("log_inprogress_0", 0, 3, 3 * SECTOR);
    markUpTo(2);
    int end = ends.get(2) / SECTOR * SECTOR + 2 * SECTOR;
    Files.write(log, Arrays.copyOf(Files.readAllBytes(log), end));

    inspect();

    assertThat(Files.size(log)).isEqualTo(ends.get(2).longValue());
  }

  /** A closed file was synced as a whole. */
  @Test
  void aMissingSectorInAnOlderFileIsDamage() throws IOException {
    Path closed = write("log_0-2", 0, 3, 3 * SECTOR);
    byte[] torn = Files.readAllBytes(closed);
    int missing = ends.get(2) / SECTOR * SECTOR + SECTOR;
    Arrays.fill(torn, missing, missing + SECTOR, (byte) 0);
    Files.write(closed, torn);
    write("log_inprogress_3", 3, 2, 10);

    assertThatThrownBy(this::inspect).isInstanceOf(DamagedLogException.class);
  }

  @Test
  void anOlderFileThatLostItsLastEntriesIsDamaged() throws IOException {
    Path closed = write("log_0-4", 0, 5, 100);
    Files.write(closed, Arrays.copyOf(Files.readAllBytes(closed), ends.get(4)));
    write("log_inprogress_5", 5, 2, 10);

    assertThatThrownBy(this::inspect)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("4 entries instead of 5");
  }

  /** Ratis truncates uncommitted entries, and the process may end before it renames the file. */
  @Test
  void theLastFileMayBeShorterThanItsName() throws IOException {
    Path closed = write("log_0-4", 0, 5, 100);
    byte[] remaining = Arrays.copyOf(Files.readAllBytes(closed), ends.get(3));
    Files.write(closed, remaining);

    inspect();

    assertThat(closed).doesNotExist();
    assertThat(directory.resolve("log_0-2")).hasBinaryContent(remaining);
    write("log_inprogress_3", 3, 2, 10);
    assertThatCode(this::inspect).doesNotThrowAnyException();
  }

  /** Ratis deletes the newest file first, and a purge can end after any. */
  @Test
  void whatAnInterruptedPurgeHasLeftIsDeleted() throws IOException {
    Path oldest = write("log_0-4", 0, 5, 100);
    Path older = write("log_5-9", 5, 5, 100);
    Path closed = write("log_20-24", 20, 5, 100);
    Path open = write("log_inprogress_25", 25, 2, 100);

    inspect(19);

    assertThat(oldest).doesNotExist();
    assertThat(older).doesNotExist();
    assertThat(closed).exists();
    assertThat(open).exists();
  }

  /** A file was lost: nothing is purged that the state does not have. */
  @Test
  void aGapOfEntriesThatTheStateLacksIsDamage() throws IOException {
    Path before = write("log_0-4", 0, 5, 100);
    write("log_inprogress_20", 20, 2, 100);

    assertThatThrownBy(() -> inspect(18))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("do not follow each other");
    assertThat(before).exists();
  }

  /** With it, this replica could be elected, and would never apply what it has committed. */
  @Test
  void aPurgedLogWhoseStateIsMissingIsRefused() throws IOException {
    Path oldest = write("log_20-24", 20, 5, 100);
    write("log_inprogress_25", 25, 2, 100);
    for (long durable : new long[] {-1, 18}) {
      assertThatThrownBy(() -> inspect(durable))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(oldest.toString())
          .hasMessageContaining("entries up to " + durable + " only");
    }
    inspect(19);
  }

  /** Ratis would delete the file, and the entries of the next one would not follow. */
  @Test
  void aClosedFileWithoutItsEntriesIsDamagedWhateverTheStateHas() throws IOException {
    List<Path> closed =
        List.of(
            write("log_0-4", 0, 5, 100), write("log_5-9", 5, 5, 100), write("log_10-14", 10, 5, 9));
    DurableEnd.replace(directory, DurableEnd.Mark.NONE);
    for (long durable : new long[] {-1, 4, 7, 9, 14}) {
      for (Path file : closed) {
        requireRefusedWithoutEntries(file, durable);
      }
    }
    write("log_inprogress_15", 15, 3, 100);
    for (Path file : closed) {
      requireRefusedWithoutEntries(file, 14);
    }
    inspect(-1);
  }

  private void requireRefusedWithoutEntries(Path file, long durable) throws IOException {
    byte[] all = Files.readAllBytes(file);
    byte[] header = Arrays.copyOf(Arrays.copyOf(all, SegmentedRaftLogFormat.getHeaderLength()), 99);
    for (byte[] without : List.of(new byte[0], new byte[all.length], new byte[3], header)) {
      Files.write(file, without);
      assertThatThrownBy(() -> inspect(durable))
          .as("%s with %d bytes, state up to %d", file, without.length, durable)
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(file.toString());
      assertThat(file).hasBinaryContent(without);
    }
    Files.write(file, all);
  }

  /** The name of the first file says that the state must have what precedes it. */
  @Test
  void aFirstFileWithoutItsEntriesDoesNotHideThatTheStateIsMissing() throws IOException {
    Path first = write("log_20-24", 20, 5, 100);
    write("log_25-29", 25, 5, 100);
    write("log_inprogress_30", 30, 2, 100);
    Files.write(first, new byte[0]);
    for (long durable : new long[] {-1, 19, 24, 31}) {
      assertThatThrownBy(() -> inspect(durable))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(first.toString());
    }
  }

  @Test
  void aFileUnderTheNameOfAnotherIsDamaged() throws IOException {
    Path file = write("log_0-4", 0, 5, 100);
    Path other = Files.move(file, directory.resolve("log_5-9"));
    for (long durable : new long[] {4, 9}) {
      assertThatThrownBy(() -> inspect(durable))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(other.toString())
          .hasMessageContaining("begins with entry 0");
    }
  }

  @Test
  void twoFilesWithTheSameEntriesAreDamaged() throws IOException {
    Path longer = write("log_0-4", 0, 5, 100);
    write("log_inprogress_3", 3, 5, 100);
    assertThatThrownBy(this::inspect)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(longer.toString());
    Path open = Files.move(longer, directory.resolve("log_inprogress_0"));
    assertThatThrownBy(this::inspect)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(open.toString());
  }

  /** What is damaged stays as it is, for whoever restores it. */
  @Test
  void nothingIsDeletedBesideDamage() throws IOException {
    Path purged = write("log_0-4", 0, 5, 100);
    Path damaged = write("log_20-24", 20, 5, 100);
    Files.write(damaged, new byte[0]);
    write("log_inprogress_25", 25, 2, 100);
    assertThatThrownBy(() -> inspect(19)).isInstanceOf(DamagedLogException.class);
    assertThat(purged).exists();
    assertThat(damaged).isEmptyFile();
  }

  /** No entry is applied before the log has it durably. */
  @Test
  void aLogThatEndsBeforeTheStateIsDamaged() throws IOException {
    Path closed = write("log_0-4", 0, 5, 100);
    Path open = write("log_inprogress_5", 5, 3, 100);
    assertThat(inspect(7)).as("term of the last entry").isEqualTo(1);
    for (long durable : new long[] {8, 50}) {
      assertThatThrownBy(() -> inspect(durable))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining("ends with entry 7, in " + open);
    }
    SnapshotMark.write(directory, 49);
    assertThatThrownBy(() -> inspect(50)).isInstanceOf(DamagedLogException.class);
    assertThat(closed).exists();
    assertThat(open).exists();
  }

  /** The process ended before Ratis had discarded the log. */
  @Test
  void aLogBeforeAnInstalledSnapshotIsDiscarded() throws IOException {
    write("log_0-4", 0, 5, 100);
    write("log_inprogress_5", 5, 3, 100);
    SnapshotMark.write(directory, 50);
    inspect(50);
    assertThat(directory).isDirectoryNotContaining("glob:**log_*");
    assertThat(SnapshotMark.file(directory)).doesNotExist();
    inspect(50);
  }

  @Test
  void aLogIsKeptIfTheSnapshotWasNotInstalled() throws IOException {
    Path open = write("log_inprogress_0", 0, 8, 100);
    SnapshotMark.write(directory, 50);
    inspect(5);
    assertThat(open).exists();
    assertThat(SnapshotMark.file(directory)).doesNotExist();
    assertThatThrownBy(() -> inspect(50)).isInstanceOf(DamagedLogException.class);
  }

  @Test
  void aDamagedMarkOfASnapshotIsReported() throws IOException {
    write("log_inprogress_0", 0, 8, 100);
    SnapshotMark.write(directory, 50);
    Path file = SnapshotMark.file(directory);
    byte[] content = Files.readAllBytes(file);
    for (int i = 0; i < content.length; i++) {
      byte[] changed = content.clone();
      changed[i] ^= 1;
      Files.write(file, changed);
      assertThatThrownBy(() -> inspect(50))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(file.toString());
    }
  }

  /** After a power loss the recorded end of what was durable may be an earlier one. */
  private void markUpTo(int entries) throws IOException {
    DurableEnd.replace(directory, new DurableEnd.Mark(0, ends.get(entries), true));
  }

  private void inspect() throws IOException {
    inspect(0);
  }

  private long inspect(long durableIndex) throws IOException {
    return new LogVerifier(ENTRY_MAX).inspect(directory, durableIndex);
  }

  /** Writes a file as a killed process of a former version leaves it: longer than its entries. */
  private Path write(String name, long first, int count, int dataBytes) throws IOException {
    Path file = writeEntries(name, first, count, dataBytes);
    int zeros = PREALLOCATED - (int) (Files.size(file) % PREALLOCATED);
    return Files.write(file, new byte[zeros], StandardOpenOption.APPEND);
  }

  private Path writeEntries(String name, long first, int count, int dataBytes) throws IOException {
    Path file = directory.resolve(name);
    out =
        new SegmentedRaftLogOutputStream(
            file.toFile(), false, 1 << 20, PREALLOCATED, ByteBuffer.allocateDirect(ENTRY_MAX));
    byte[] data = new byte[dataBytes];
    Arrays.fill(data, value);
    ends.clear();
    ends.add(8);
    for (long index = first; index < first + count; index++) {
      LogEntryProto entry =
          LogEntryProto.newBuilder()
              .setTerm(1)
              .setIndex(index)
              .setStateMachineLogEntry(
                  StateMachineLogEntryProto.newBuilder().setLogData(ByteString.copyFrom(data)))
              .build();
      out.write(entry);
      int size = entry.getSerializedSize();
      ends.add(ends.get(ends.size() - 1) + size + (size < 128 ? 1 : 2) + 4);
    }
    out.flush();
    return file;
  }
}
