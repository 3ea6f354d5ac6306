package io.quorate.server.verification.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;

/**
 * Bytes of a file that are not what was written there, as a disk that rots leaves them. Done to a
 * node that does not run.
 *
 * @param file the damaged file
 * @param offset where the damage begins
 * @param before what was there
 * @param after what is there now; shorter than {@code before} if the file was cut
 */
public record Damage(Path file, long offset, byte[] before, byte[] after) {
  private static final long LOG_BYTES_MIN = 4 << 10;
  private static final int TAIL_BYTES = 2 << 10;
  private static final int FLIPPED_BYTES_MAX = 8;

  /** The file that was written last of one of the logs, each of which has a directory. */
  public static Optional<Path> newestLog(Path consensusDirectory, Random random)
      throws IOException {
    Map<Path, Path> newest = new TreeMap<>();
    BinaryOperator<Path> newer =
        BinaryOperator.maxBy(Comparator.comparingLong(file -> file.toFile().lastModified()));
    files(consensusDirectory).stream()
        .filter(file -> file.toFile().length() >= LOG_BYTES_MIN)
        .forEach(file -> newest.merge(file.getParent(), file, newer));
    return oneOf(List.copyOf(newest.values()), random);
  }

  /** One of the files that hold rows. */
  public static Optional<Path> anyTable(Path storageDirectory, Random random) throws IOException {
    List<Path> tables =
        files(storageDirectory).stream()
            .filter(file -> file.getFileName().toString().endsWith(".sst"))
            .sorted()
            .toList();
    return oneOf(tables, random);
  }

  private static Optional<Path> oneOf(List<Path> files, Random random) {
    return files.isEmpty()
        ? Optional.empty()
        : Optional.of(files.get(random.nextInt(files.size())));
  }

  /** Changes a few bytes close to the end of what was written to a file. */
  public static Damage flipInTail(Path file, Random random) throws IOException {
    long end = contentEnd(file);
    return flip(file, end - 1 - random.nextInt((int) Math.min(TAIL_BYTES, end)), random);
  }

  /** Changes a few bytes anywhere in a file. */
  public static Damage flipAnywhere(Path file, Random random) throws IOException {
    return flip(file, (long) (random.nextDouble() * Files.size(file)), random);
  }

  private static Damage flip(Path file, long offset, Random random) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] before = new byte[(int) Math.min(FLIPPED_BYTES_MAX, bytes.length() - offset)];
      bytes.seek(offset);
      bytes.readFully(before);
      byte[] after = before.clone();
      for (int i = 0; i < after.length; i++) {
        after[i] ^= (byte) (1 + random.nextInt(255));
      }
      bytes.seek(offset);
      bytes.write(after);
      bytes.getFD().sync();
      return new Damage(file, offset, before, after);
    }
  }

  /** Cuts a file a few bytes before the end of what was written to it. */
  public static Damage cut(Path file, Random random) throws IOException {
    long offset = contentEnd(file) - 1 - random.nextInt(FLIPPED_BYTES_MAX);
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] before = new byte[(int) (bytes.length() - offset)];
      bytes.seek(offset);
      bytes.readFully(before);
      bytes.setLength(offset);
      bytes.getFD().sync();
      return new Damage(file, offset, before, new byte[0]);
    }
  }

  /**
   * Puts back what was there, unless the file has changed since: to restore a part of a file that
   * went on would be one more damage.
   *
   * @return whether it was put back
   */
  public boolean undo() throws IOException {
    if (!Files.exists(file)) {
      return false;
    }
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      boolean wasCut = after.length < before.length;
      if (wasCut ? bytes.length() != offset : bytes.length() < offset + after.length) {
        return false;
      }
      byte[] now = new byte[after.length];
      bytes.seek(offset);
      bytes.readFully(now);
      if (!Arrays.equals(now, after)) {
        return false;
      }
      bytes.seek(offset);
      bytes.write(before);
      bytes.getFD().sync();
      return true;
    }
  }

  @Override
  public String toString() {
    return (after.length < before.length ? "cut " : "flipped " + after.length + " bytes of ")
        + file.getParent().getFileName()
        + "/"
        + file.getFileName()
        + " at "
        + offset;
  }

  /** After the last byte that is not zero: logs are longer than what was written to them. */
  private static long contentEnd(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int end = bytes.length;
    while (end > 1 && bytes[end - 1] == 0) {
      end--;
    }
    return end;
  }

  private static List<Path> files(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }
}
