package io.quorate.server.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.server.cli.ClientCommands;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ConnectOptions;
import io.quorate.server.cli.verb.Connections;
import io.quorate.server.cli.verb.KeySuggestions;
import io.quorate.server.node.QuorateNode;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.TestCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jline.reader.Candidate;
import org.jline.reader.impl.DefaultParser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ShellCommandTest {
  @TempDir private static Path directory;

  private static TestCluster cluster;
  private static QuorateNode node;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeAll
  static void start() throws IOException {
    cluster = new TestCluster(directory, 1, "engine = memory");
    node = QuorateNode.start(cluster.config(0), new MemoryEngineProvider(), failure -> {});
    node.serving().toCompletableFuture().join();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @BeforeEach
  void deleteAllKeys() {
    try (QuorateClient client = QuorateClient.connect(cluster.seeds())) {
      client.scanPrefix("").forEach(row -> client.delete(row.key()));
    }
  }

  private int run(String... lines) {
    byte[] input = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(input),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false);
    return new CommandLine(new ShellCommand(terminal)).execute("--at", cluster.seeds());
  }

  @Test
  void linesAreExecutedInOrder() {
    assertThat(
            run(
                "# a comment",
                "put a 1",
                "",
                "put 'a key' \"with \\\"quotes\\\" \u00fc\"",
                "get missing",
                "get 'a key'",
                "incr a 41",
                "append a !",
                "getput a x",
                "count a",
                "scan --prefix a"))
        .isZero();
    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .containsExactly(
            "with \"quotes\" \u00fc", "42", "42!", "2", "a\tx", "a key\twith \"quotes\" \u00fc");
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines("There is no key \"missing\".");
  }

  @Test
  void theFirstFailureEndsTheShellAndIsNamed() {
    assertThat(run("put a 1", "pu b 2", "put c 3")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("There is no verb pu; did you mean put")
        .endsWith("Line 2 failed, and ends this shell.\n")
        .hasLineCount(2);
    err.reset();
    assertThat(run("get a", "put 'open", "get a")).isEqualTo(2);
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("1\n");
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("quote", "Line 2 failed");
  }

  /** With a client for each line, this would take minutes. */
  @Test
  void manyLinesShareAConnection() {
    String[] lines =
        IntStream.range(0, 2_000).mapToObj(i -> "put key" + i + " value").toArray(String[]::new);
    assertThat(run(lines)).isZero();
    assertThat(run("count")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("2000\n");
  }

  @Test
  void verbsAndKeysAreCompleted() {
    assertThat(run("put apple 1", "put apricot 2", "put pear 3")).isZero();
    Map<String, CommandLine> verbs =
        ClientCommands.all(Terminal.standard()).stream()
            .collect(Collectors.toMap(CommandLine::getCommandName, Function.identity()));
    try (Connections connections = Connections.shared()) {
      VerbsAndKeys completer =
          new VerbsAndKeys(
              verbs,
              new KeySuggestions(connections, ConnectOptions.ofEnvironment().at(cluster.seeds())));
      assertThat(candidates(completer, "")).contains("get", "status", "exit");
      assertThat(candidates(completer, "get ap")).containsExactly("apple", "apricot");
      assertThat(candidates(completer, "get apple ")).isEmpty();
      assertThat(candidates(completer, "scan ap")).containsExactly("apple", "apricot");
      assertThat(candidates(completer, "count ap")).containsExactly("apple", "apricot");
      assertThat(candidates(completer, "status a")).isEmpty();
      assertThat(candidates(completer, "verify a")).isEmpty();
      assertThat(candidates(completer, "gut a")).isEmpty();
    }
    try (Connections unreachable = Connections.shared()) {
      assertThat(
              new KeySuggestions(unreachable, ConnectOptions.ofEnvironment().at("127.0.0.1:1"))
                  .startingWith("a"))
          .isEmpty();
    }
  }

  private static List<String> candidates(VerbsAndKeys completer, String line) {
    List<Candidate> candidates = new ArrayList<>();
    completer.complete(null, new DefaultParser().parse(line, line.length()), candidates);
    return candidates.stream().map(Candidate::value).toList();
  }
}
