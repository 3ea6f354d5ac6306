package io.quorate.torture.history;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** History files: JSON lines, one operation per line, in the format of docs/histories.md. */
public final class HistoryFile {
  private HistoryFile() {}

  /**
   * Writes the file, and overwrites an existing one.
   *
   * @throws IOException if it cannot be written; an incomplete file may remain
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
