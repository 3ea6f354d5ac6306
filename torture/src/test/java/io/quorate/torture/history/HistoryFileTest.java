package io.quorate.torture.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.torture.model.Script;
import io.quorate.torture.model.Simulation;
import io.quorate.torture.model.Simulation.Misbehaviour;
import io.quorate.torture.model.Simulation.Shape;
import io.quorate.torture.model.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryFileTest {
  private static final String GET =
      "{\"id\":1,\"client\":2,\"op\":\"get\",\"key\":\"k\",\"invoked\":3,\"completed\":4,"
          + "\"outcome\":\"ok\",\"found\":null}";
  private static final Path DOCUMENT = Path.of("..", "docs", "histories.md");

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void chooseFile() {
    file = directory.resolve("history.jsonl");
  }

  @Test
  void aHistoryIsReadAsItWasWritten() throws IOException {
    List<String> keys = List.of("a", "b", "c");
    History history =
        Simulation.run(
            new Shape(8, 2_000, 100, 100),
            Workload.everythingWithScansAndBatches(keys),
            Misbehaviour.NONE,
            7);
    HistoryFile.write(file, history);
    assertThat(HistoryFile.read(file)).isEqualTo(history);
    assertThat(Files.readAllLines(file)).hasSize(history.size());
    assertThat(
            history.operations().stream()
                .map(operation -> operation.action().getClass())
                .collect(Collectors.toSet()))
        .as("an action that the workload does not have is not tested here")
        .isEqualTo(actions(Action.class));
    assertThat(wordsOf(Files.readString(file), "\"op\":\"([a-z-]+)\""))
        .isEqualTo(wordsOf(table(), "(?m)^\\| `([a-z-]+)` \\|"));
  }

  /** The records of a sealed interface. */
  private static Set<Class<?>> actions(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses())
            .flatMap(each -> actions(each).stream())
            .collect(Collectors.toSet())
        : Set.of(type);
  }

  private static Set<String> wordsOf(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(match -> match.group(1))
        .collect(Collectors.toSet());
  }

  /** The table of operations in the document. */
  private static String table() throws IOException {
    String text = Files.readString(DOCUMENT);
    int start = text.indexOf("\n| `op` | parameters |");
    return text.substring(start, text.indexOf("\n\n", start)).replaceFirst("\\| `op`", "");
  }

  @Test
  void allByteValuesAreReadAsTheyWereWritten() throws IOException {
    StringBuilder all = new StringBuilder();
    for (char c = 0; c < 256; c++) {
      all.append(c);
    }
    String bytes = all.toString();
    History history =
        new Script()
            .put(Long.MIN_VALUE, -1, bytes, bytes)
            .ok(0, 1, new Action.Scan("", "\u00ff"), Result.Rows.of(Map.of(bytes, bytes)))
            .ok(
                0,
                1,
                new Action.CompareAndSet(bytes, Optional.empty(), Optional.of("")),
                new Result.Swap(false, Optional.of(bytes)))
            .history();
    HistoryFile.write(file, history);
    assertThat(HistoryFile.read(file)).isEqualTo(history);
  }

  @Test
  void theLinesOfTheDocumentAreOperations() throws IOException {
    List<String> lines =
        Files.readAllLines(DOCUMENT).stream().filter(line -> line.startsWith("{")).toList();
    assertThat(lines).hasSizeGreaterThan(5);
    Files.write(file, lines);
    HistoryFile.write(directory.resolve("again.jsonl"), HistoryFile.read(file));
    assertThat(Files.readAllLines(directory.resolve("again.jsonl"))).isEqualTo(lines);
  }

  /** The file has all operations and all bytes, and is from a build with an own writer of JSON. */
  @Test
  void aHistoryOfAnEarlierBuildIsReadAndWrittenWithTheSameBytes() throws Exception {
    Path earlier = Path.of(HistoryFileTest.class.getResource("earlier.jsonl").toURI());
    History history = HistoryFile.read(earlier);

    assertThat(history.size()).isEqualTo(15);
    HistoryFile.write(file, history);
    assertThat(file).hasSameBinaryContentAs(earlier);
  }

  @Test
  void whiteSpaceBetweenPartsIsAllowed() throws IOException {
    Files.writeString(file, GET.replace(",", " ,\t").replace(":", " : ") + " \n");
    assertThat(HistoryFile.read(file).operations().get(0).action()).isEqualTo(new Action.Get("k"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"id\":1",
        "{\"id\":1}{",
        "{\"id\":1.5}",
        "{\"id\":01}",
        "{\"id\":-}",
        "{\"id\":\"1\"}",
        "{\"id\":99999999999999999999}",
        "{\"id\":1,\"id\":1}",
        "{\"id\":nil}",
        "{\"id\":\"\\x\"}",
        "{\"id\":\"\\u00g0\"}",
        "{\"id\":\"a",
      })
  void aLineThatIsNoFlatObjectIsRejected(String line) throws IOException {
    assertRejected(line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"op\":\"get\"|\"op\":\"look\"",
        "\"key\":\"k\"|\"key\":null",
        "\"key\":\"k\"|\"key\":[\"k\"]",
        "\"key\":\"k\",|",
        "\"client\":2|\"client\":3000000000",
        "\"completed\":4|\"completed\":2",
        "\"completed\":4|\"completed\":9223372036854775807",
        "\"outcome\":\"ok\"|\"outcome\":\"failed\"",
        "\"outcome\":\"ok\"|\"outcome\":\"fine\"",
        "\"found\":null|\"found\":null,\"sum\":1",
        "\"found\":null|\"found\":true",
        "\"op\":\"get\",\"key\":\"k\"|\"op\":\"scan\",\"from\":\"b\",\"to\":\"a\"",
        "\"op\":\"get\",\"key\":\"k\"|\"op\":\"batch\",\"changes\":[\"a\"]",
        "\"op\":\"get\",\"key\":\"k\"|\"op\":\"batch\",\"changes\":[null,\"a\"]",
      })
  void aLineThatIsNoOperationIsRejected(String change) throws IOException {
    int bar = change.indexOf('|');
    assertThat(GET).contains(change.substring(0, bar));
    assertRejected(GET.replace(change.substring(0, bar), change.substring(bar + 1)));
  }

  @Test
  void rowsOutsideOfTheScannedRangeAreRejected() throws IOException {
    assertRejected(
        "{\"id\":1,\"client\":2,\"op\":\"scan\",\"from\":\"a\",\"to\":\"b\",\"invoked\":3,"
            + "\"completed\":4,\"outcome\":\"ok\",\"rows\":[\"b\",\"1\"]}");
  }

  @Test
  void twoOperationsWithOneIdAreRejected() throws IOException {
    Files.write(file, List.of(GET, GET));
    assertThatThrownBy(() -> HistoryFile.read(file))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageContaining("several 1");
  }

  private void assertRejected(String line) throws IOException {
    Files.write(file, List.of(GET, line));
    assertThatThrownBy(() -> HistoryFile.read(file))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageContaining("Line 2 of");
  }
}
