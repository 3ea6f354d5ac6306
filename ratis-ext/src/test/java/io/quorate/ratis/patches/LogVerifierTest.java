package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One log file, also of former versions that filled it with zeros, torn or damaged. */
class LogVerifierTest extends LogVerifierCase {
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
}
