package io.quorate.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The files of a directory that are named by a number. Another file is ignored, also one whose name
 * is nearly such a name: no file is taken for that of a number which is named otherwise, and no
 * number is beyond a long. Any thread.
 */
public final class NumberedFiles {
  private final Path directory;
  private final String format;
  private final int radix;
  private final String suffix;

  private NumberedFiles(Path directory, String format, int radix, String suffix) {
    this.directory = directory;
    this.format = format;
    this.radix = radix;
    this.suffix = suffix;
  }

  /** Of numbers with at least so many digits; the suffix begins with a dot. */
  public static NumberedFiles decimal(Path directory, int digits, String suffix) {
    return new NumberedFiles(directory, "%0" + digits + "d", 10, suffix);
  }

  /** Of numbers with at least so many hexadecimal digits; the suffix begins with a dot. */
  public static NumberedFiles hexadecimal(Path directory, int digits, String suffix) {
    return new NumberedFiles(directory, "%0" + digits + "x", 16, suffix);
  }

  /** The file of a number, which is not negative. */
  public Path file(long number) {
    return directory.resolve(name(number));
  }

  private String name(long number) {
    return String.format(Locale.ROOT, format, number) + suffix;
  }

  /**
   * The numbers of the files, ascending. Blocks.
   *
   * @throws IOException if the directory cannot be read, or does not exist
   */
  public List<Long> numbers() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> number(file.getFileName().toString()))
          .flatMap(number -> number.stream().boxed())
          .sorted()
          .toList();
    }
  }

  private OptionalLong number(String name) {
    if (!name.endsWith(suffix)) {
      return OptionalLong.empty();
    }
    try {
      long number = Long.parseLong(name.substring(0, name.length() - suffix.length()), radix);
      return number >= 0 && name(number).equals(name)
          ? OptionalLong.of(number)
          : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
