package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLogFormat;
import org.junit.jupiter.api.Test;

/** The files of a log together, and with the state. */
class LogFilesVerifierTest extends LogVerifierCase {
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
}
