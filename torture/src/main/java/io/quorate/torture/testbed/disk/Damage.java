package io.quorate.torture.testbed.disk;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Damage to a file: bytes that differ from what was written, as on a decaying disk. Only for files
 * of a node that does not run, except that bytes may be flipped in a file to which a node appends.
 *
 * @param file the damaged file
 * @param offset the position of the first damaged byte
 * @param before the original bytes
 * @param after the present bytes; shorter than {@code before} if the file was truncated
 */
public record Damage(Path file, long offset, byte[] before, byte[] after) {
  private static final long LOG_BYTES_MIN = 4 << 10;
  private static final int TAIL_BYTES = 2 << 10;
  private static final int FLIPPED_BYTES_MAX = 8;

  /** The file of a log that was written last; those with less than 4 KiB are ignored. */
  public static Optional<Path> newestLog(Path directory) throws IOException {
    return files(directory).stream()
        .filter(file -> file.toFile().length() >= LOG_BYTES_MIN)
        .max(Comparator.comparingLong(file -> file.toFile().lastModified()));
  }

  /** Selects one of the files that contain rows. */
  public static Optional<Path> anyTable(Path storageDirectory, Random random) throws IOException {
    List<Path> tables = files(storageDirectory).stream().filter(Damage::hasRows).sorted().toList();
    return oneOf(tables, random);
  }

  /**
   * The directories of snapshots whose files are complete: their manifest is written last. Also of
   * a node that runs; none if it removes files meanwhile, so that the caller looks again.
   */
  public static List<Path> snapshots(Path directory) throws IOException {
    try {
      return files(directory).stream()
          .filter(file -> file.endsWith("MANIFEST"))
          .map(Path::getParent)
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof NoSuchFileException) {
        return List.of();
      }
      throw e.getCause();
    }
  }

  /** Whether a file is a table or a blob file of RocksDB. */
  private static boolean hasRows(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".sst") || name.endsWith(".blob");
  }

  /** The directory of the bodies of large values of a node; need not exist. */
  public static Path bodies(Path dataDirectory) {
    return dataDirectory.resolve("storage").resolve("bodies");
  }

  /** All files of a directory that are not empty, in the order of their names. */
  public static List<Path> filesWithContent(Path directory) throws IOException {
    return files(directory).stream().filter(file -> file.toFile().length() > 0).sorted().toList();
  }

  /**
   * Removes all files of a directory, as on a disk that was replaced.
   *
   * @return their number
   */
  public static int removeAll(Path directory) throws IOException {
    List<Path> files = files(directory);
    for (Path file : files) {
      Files.delete(file);
    }
    return files.size();
  }

  private static Optional<Path> oneOf(List<Path> files, Random random) {
    return files.isEmpty()
        ? Optional.empty()
        : Optional.of(files.get(random.nextInt(files.size())));
  }

  /** Changes a few bytes near the end of the content of a file. */
  public static Damage flipInTail(Path file, Random random) throws IOException {
    long end = contentEnd(file);
    return flip(file, end - 1 - random.nextInt((int) Math.min(TAIL_BYTES, end)), random);
  }

  /** Changes a few bytes anywhere in a file. */
  public static Damage flipAnywhere(Path file, Random random) throws IOException {
    return flip(file, (long) (random.nextDouble() * Files.size(file)), random);
  }

  private static Damage flip(Path file, long offset, Random random) throws IOException {
    // Unlike RandomAccessFile, this does not create a file that the node has just deleted.
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      int count = (int) Math.min(FLIPPED_BYTES_MAX, channel.size() - offset);
      ByteBuffer content = ByteBuffer.allocate(count);
      while (content.hasRemaining()) {
        if (channel.read(content, offset + content.position()) < 0) {
          throw new EOFException(file + " was truncated");
        }
      }
      byte[] before = content.array();
      byte[] after = before.clone();
      for (int i = 0; i < after.length; i++) {
        after[i] ^= (byte) (1 + random.nextInt(255));
      }
      ByteBuffer changed = ByteBuffer.wrap(after);
      while (changed.hasRemaining()) {
        channel.write(changed, offset + changed.position());
      }
      channel.force(true);
      return new Damage(file, offset, before, after);
    }
  }

  /** Truncates a file a few bytes before the end of its content. */
  public static Damage truncate(Path file, Random random) throws IOException {
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
   * Restores the original bytes, unless the file has changed since: restoring a part of a file to
   * which more was written would damage it again.
   *
   * @return whether the bytes were restored
   */
  public boolean undo() throws IOException {
    if (!Files.exists(file)) {
      return false;
    }
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      boolean wasTruncated = after.length < before.length;
      if (wasTruncated ? bytes.length() != offset : bytes.length() < offset + after.length) {
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
    return (after.length < before.length ? "truncated " : "flipped " + after.length + " bytes of ")
        + file.getParent().getFileName()
        + "/"
        + file.getFileName()
        + " at "
        + offset;
  }

  /**
   * Returns the position after the last byte that is not zero: files of logs are longer than their
   * content.
   */
  static long contentEnd(Path file) throws IOException {
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
