package io.quorate.server.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.server.cli.CliRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadCommandTest {
  @TempDir private Path directory;
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "k5");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private CliRun load(String content, String... options) throws IOException {
    Path file = Files.writeString(directory.resolve("lines"), content);
    String[] arguments = new String[options.length + 3];
    arguments[0] = "load";
    arguments[1] = file.toString();
    arguments[2] = "--at=" + cluster.addresses();
    System.arraycopy(options, 0, arguments, 3, options.length);
    return CliRun.of(arguments);
  }

  @Test
  void everyLineIsLoaded() throws IOException {
    StringBuilder content = new StringBuilder();
    for (int i = 0; i < 5000; i++) {
      content
          .append("k")
          .append(i)
          .append('\t')
          .append("value\twith a tab ")
          .append(i)
          .append('\n');
    }
    CliRun run = load(content.toString());
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).matches("Loaded 5000 lines in \\d+\\.\\d s, \\d+ lines/s\\.\n");
    assertThat(run.err()).as("no progress line without a terminal").isEmpty();
    assertThat(cluster.value("k0")).contains("value\twith a tab 0");
    assertThat(cluster.value("k4999")).contains("value\twith a tab 4999");
  }

  @Test
  void theLastLineOfAKeyWins() throws IOException {
    StringBuilder content = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      content.append("k").append(i % 3).append('\t').append(i).append('\n');
    }
    cluster.node(1).next(Opcode.WRITE, Reaction.refuse(Status.UNAVAILABLE));
    cluster.node(1).next(Opcode.WRITE, Reaction.executeThenDrop());
    assertThat(load(content.toString()).exitCode()).isZero();
    assertThat(cluster.value("k0")).contains("297");
    assertThat(cluster.value("k2")).contains("299");
  }

  @Test
  void standardInputMayEndWithoutALineFeed() {
    CliRun run =
        CliRun.withInput(
            "a\t1\nb\t".getBytes(StandardCharsets.UTF_8), "load", "-", "--at", cluster.addresses());
    assertThat(run.exitCode()).isZero();
    assertThat(cluster.value("a")).contains("1");
    assertThat(cluster.value("b")).contains("");
  }

  @Test
  void aMalformedLineIsNamedAndEndsTheLoad() throws IOException {
    CliRun noTab = load("a\t1\nb 2\nc\t3\n");
    assertThat(noTab.exitCode()).isEqualTo(2);
    assertThat(noTab.err()).isEqualTo("Line 2 has no tab between key and value.\n");
    assertThat(noTab.out()).startsWith("Loaded 1 lines");
    assertThat(cluster.value("a")).contains("1");
    assertThat(cluster.value("c")).isEmpty();
    assertThat(load("\tvalue\n").err()).isEqualTo("Line 1 has no key before its tab.\n");
    assertThat(load("a\n\t1\n").err()).isEqualTo("Line 1 has no tab between key and value.\n");
    assertThat(load("a\t1\n\nb\t2\n").err())
        .isEqualTo("Line 2 is empty; only the last line may be.\n");
  }

  @Test
  void anEmptyLastLineIsIgnored() throws IOException {
    CliRun run = load("a\t1\n\n");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("Loaded 1 lines");
    assertThat(load("\n").out()).startsWith("Loaded 0 lines");
  }

  @Test
  void escapesAreDecoded() throws IOException {
    assertThat(load("\\x61\\\\\tv\\x09\\\\x41\\xC3\\xb1").exitCode()).isZero();
    assertThat(cluster.value("a\\")).contains("v\t\\x41ñ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"C:\\new", "\\", "\\x", "\\x4", "\\xg1", "\\x1g", "\\X41", "\\\\\\n", "\\\r"})
  void aBackslashThatBeginsNoEscapeIsRejected(String value) throws IOException {
    int at = "b\t".length() + value.lastIndexOf('\\') + 1;
    String problem =
        "Line 2 has a backslash at byte "
            + at
            + " that begins no escape; write \\\\ for a backslash, and \\xNN for any byte by its two"
            + " hexadecimal digits.\n";
    for (String rest : List.of("", "\n", "\nc\t3\n")) {
      CliRun run = load("a\t1\nb\t" + value + rest);
      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err()).isEqualTo(problem);
      assertThat(cluster.value("a")).contains("1");
      assertThat(cluster.value("b")).isEmpty();
      assertThat(cluster.value("c")).isEmpty();
    }
    assertThat(load(value + "\tv\n").err()).startsWith("Line 1 has a backslash at byte ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\t1\r\n", "a\t1\r", "a\r\n", "\r\n"})
  void aCarriageReturnAtTheEndOfALineIsRejected(String line) throws IOException {
    CliRun run = load("x\t0\n" + line);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "Line 2 ends with a carriage return; end lines with a line feed alone, and write \\x0d"
                + " (0d with --hex) for one that belongs to the value.\n");
    assertThat(load("x\t0\n" + line, "--hex").exitCode()).isEqualTo(2);
    assertThat(cluster.value("a")).isEmpty();
  }

  @Test
  void otherCarriageReturnsBelongToTheValue() throws IOException {
    assertThat(load("a\t1\r2\nb\t3\\x0d\n").exitCode()).isZero();
    assertThat(cluster.value("a")).contains("1\r2");
    assertThat(cluster.value("b")).contains("3\r");
  }

  @Test
  void linesMayBeHexadecimal() throws IOException {
    assertThat(load("61\t5c\n62\t\n", "--hex").exitCode()).isZero();
    assertThat(cluster.value("a")).contains("\\");
    assertThat(cluster.value("b")).contains("");
    for (String wrong : List.of("6\t61", "61\t6", "61\t6\n", "61\t\\x61", "61\t61\t61", "key\tv")) {
      CliRun run = load(wrong, "--hex");
      assertThat(run.exitCode()).as(wrong).isEqualTo(2);
      assertThat(run.err())
          .as(wrong)
          .matches(
              "Line 1 is not pairs of hexadecimal digits, which --hex requires, at byte \\d\\.\n");
    }
  }

  @Test
  void anEmptyFileLoadsNothing() throws IOException {
    CliRun run = load("");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("Loaded 0 lines");
  }

  @Test
  void aLineThatFailsIsNamed() throws IOException {
    CliRun run = load("a\t1\n" + "x".repeat(9000) + "\t2\n");
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.err()).startsWith("Line 2 failed: A key has at most 8192 bytes");
    assertThat(run.out()).contains("; 1 lines failed");
    assertThat(cluster.value("a")).contains("1");
  }

  @Test
  void aClusterThatIsDownEndsTheLoad() throws IOException {
    cluster.nodes().forEach(FakeNode::stop);
    CliRun run = load("a\t1\nb\t2\n", "--timeout=200ms");
    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err()).startsWith("Line 1 failed: No replica could serve the request");
  }
}
