package io.quorate.common;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * Reads the files of one replica when it is opened. What cannot be read of them is damage of this
 * replica, and of no other: {@link DamagedLogException}. If the process can open no file at all,
 * that is no damage. Either message names the file. Every method blocks.
 */
public final class ReplicaReads {
  private ReplicaReads() {}

  /**
   * Reads a whole file.
   *
   * @param bytesMax the maximum length; a longer file is damaged
   */
  public static byte[] all(Path file, int bytesMax) throws IOException {
    byte[] content;
    try (InputStream in = Files.newInputStream(file)) {
      content = in.readNBytes(bytesMax + 1);
    } catch (IOException e) {
      throw failure(file, e);
    }
    if (content.length > bytesMax) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The file %s has more than %d bytes, and so differs from what was written",
              file,
              bytesMax));
    }
    return content;
  }

  /**
   * Reads a file of a fixed length that ends with the checksum of the rest.
   *
   * @param states what the file states, for the message
   */
  public static ByteBuffer checked(Path file, int length, String states) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(all(file, length));
    int end = length - Integer.BYTES;
    if (bytes.remaining() != length || bytes.getInt(end) != Checksums.of(bytes.slice(0, end))) {
      throw altered(file, states);
    }
    return bytes;
  }

  /** The damage of a file that is not as it was written. */
  public static DamagedLogException altered(Path file, String states) {
    return new DamagedLogException(
        String.format(
            Locale.ROOT,
            "The file %s, which states %s, differs from what was written",
            file,
            states));
  }

  /**
   * What to throw if reading a file or listing a directory has failed.
   *
   * @param cause returned as it is if it states damage already
   */
  static IOException failure(Path file, IOException cause) {
    if (cause instanceof DamagedLogException) {
      return cause;
    }
    String message =
        String.format(
            Locale.ROOT, "The file %s cannot be read (%s)", file, FileErrors.reason(cause));
    return canOpen(file.toAbsolutePath().getParent())
        ? new DamagedLogException(message, cause)
        : new IOException(message, cause);
  }

  /** Whether the process has a descriptor left, and the directory is there. */
  private static boolean canOpen(Path directory) {
    try (FileChannel opened = FileChannel.open(directory, StandardOpenOption.READ)) {
      return opened.isOpen();
    } catch (IOException e) {
      return false;
    }
  }
}
