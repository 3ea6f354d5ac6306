package io.quorate.torture.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/** The kept inputs of a target: hexadecimal lines of a resource. A line with # says why. */
final class Corpus {
  private Corpus() {}

  /** At least one input, the empty one. */
  static List<byte[]> of(String target) {
    try (InputStream in = Corpus.class.getResourceAsStream("corpus/" + target + ".hex")) {
      return in == null
          ? List.of(new byte[0])
          : new String(in.readAllBytes(), StandardCharsets.US_ASCII)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(HexFormat.of()::parseHex)
              .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
