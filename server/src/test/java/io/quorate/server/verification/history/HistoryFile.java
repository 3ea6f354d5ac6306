package io.quorate.server.verification.history;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Histories as files of JSON lines, one operation a line; docs/histories.md describes them. */
public final class HistoryFile {
  private HistoryFile() {}

  /**
   * Writes the file, over an old one if there is one.
   *
   * @throws IOException if it cannot be written; a part of it may be there
   */
  public static void write(Path file, History history) throws IOException {
    try (BufferedWriter to = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
      for (Operation operation : history.operations()) {
        to.write(OperationCodec.encode(operation));
        to.write('\n');
      }
    }
  }

  /**
   * Reads a whole file into memory.
   *
   * @throws MalformedHistoryException if it is not a history
   */
  public static History read(Path file) throws IOException {
    List<Operation> operations = new ArrayList<>();
    try (BufferedReader from = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      String line;
      while ((line = from.readLine()) != null) {
        try {
          operations.add(OperationCodec.decode(line));
        } catch (MalformedHistoryException e) {
          throw new MalformedHistoryException(
              "Line " + (operations.size() + 1) + " of " + file + ": " + e.getMessage());
        }
      }
    }
    try {
      return new History(operations);
    } catch (IllegalArgumentException e) {
      throw new MalformedHistoryException(file + ": " + e.getMessage());
    }
  }
}
