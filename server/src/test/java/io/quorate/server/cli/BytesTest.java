package io.quorate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.client.fake.FakeCluster;
import io.quorate.model.KeyRange;
import io.quorate.server.cli.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes of keys and values for arguments and options, and the arguments that are rejected. */
class BytesTest {
  private static final byte[] KEY = {0, (byte) 0xff, '\n'};

  @TempDir private Path directory;
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(1, "m");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private CliRun run(String... arguments) {
    return withInput(new byte[0], arguments);
  }

  private CliRun withInput(byte[] input, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add(1, "--at=" + cluster.addresses());
    return CliRun.withInput(input, all.toArray(String[]::new));
  }

  private Optional<byte[]> stored(byte[] key) {
    try (QuorateClient client = QuorateClient.connect(cluster.addresses())) {
      return client.get(key);
    }
  }

  private List<KeyValue> rows() {
    try (QuorateClient client = QuorateClient.connect(cluster.addresses())) {
      return client.scan(KeyRange.ALL, 1000);
    }
  }

  private static void isUsageError(CliRun run, String sentence) {
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE.code());
    assertThat(run.err().lines().findFirst()).contains(sentence);
    assertThat(run.err().lines().count()).isLessThanOrEqualTo(2);
    assertThat(run.raw()).isEmpty();
  }

  @Test
  void keysAndValuesMayBeHexadecimal() {
    assertThat(run("put", "--hex", "00ff0a", "0D5C").exitCode()).isZero();
    assertThat(stored(KEY)).contains(new byte[] {'\r', '\\'});
    assertThat(run("get", "--hex", "00ff0a").out()).isEqualTo("0d5c\n");
    assertThat(run("cas", "--hex", "00ff0a", "0d5c", "37").exitCode()).isZero();
    CliRun other = run("cas", "--hex", "00ff0a", "ff", "fe");
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err()).isEqualTo("The value is another: 37\n");
    assertThat(run("incr", "--hex", "00ff0a", "4").out()).isEqualTo("11\n");
    assertThat(run("delete", "--hex", "00ff0a").exitCode()).isZero();
    assertThat(stored(KEY)).isEmpty();
    CliRun gone = run("get", "--hex", "00FF0A");
    assertThat(gone.exitCode()).isEqualTo(1);
    assertThat(gone.err()).isEqualTo("There is no key \"00ff0a\".\n");
    CliRun absent = run("cas", "--hex", "00ff0a", "ff", "fe");
    assertThat(absent.exitCode()).isEqualTo(1);
    assertThat(absent.err()).isEqualTo("There is no key \"00ff0a\".\n");
  }

  @Test
  void anEmptyHexadecimalValueIsAllowed() {
    assertThat(run("put", "--hex", "ff", "").exitCode()).isZero();
    assertThat(stored(new byte[] {(byte) 0xff})).contains(new byte[0]);
  }

  @Test
  void boundsOfAScanMayBeHexadecimal() {
    for (String key : List.of("00", "41ff", "41ff00", "42", "ff")) {
      run("put", "--hex", key, "01");
    }
    assertThat(run("scan", "--hex").out())
        .isEqualTo("00\t01\n41ff\t01\n41ff00\t01\n42\t01\nff\t01\n");
    assertThat(run("scan", "--hex", "41ff00").out()).isEqualTo("41ff00\t01\n42\t01\nff\t01\n");
    assertThat(run("scan", "--hex", "41", "42").out()).isEqualTo("41ff\t01\n41ff00\t01\n");
    assertThat(run("scan", "--hex", "--prefix", "41ff").out()).isEqualTo("41ff\t01\n41ff00\t01\n");
    assertThat(run("scan", "--hex", "--prefix=ff").out()).isEqualTo("ff\t01\n");
  }

  @Test
  void standardInputIsStoredLiterallyAlsoWithAHexadecimalKey() {
    byte[] value = {'f', 'f', '\r', '\n', (byte) 0xc3};
    assertThat(withInput(value, "put", "--hex", "00ff0a", "-").exitCode()).isZero();
    assertThat(stored(KEY)).contains(value);
    assertThat(run("get", "--hex", "--raw", "00ff0a").raw()).isEqualTo(value);
  }

  @Test
  void aRawValueIsPrintedWithoutALineFeed() {
    run("put", "k", "grüße");
    assertThat(run("get", "k").out()).isEqualTo("grüße\n");
    assertThat(run("get", "k", "--raw").out()).isEqualTo("grüße");
    run("put", "empty", "");
    assertThat(run("get", "--raw", "empty").raw()).isEmpty();
  }

  @Test
  void malformedHexadecimalIsRejected() {
    String rest = " is not pairs of hexadecimal digits, which --hex requires.";
    for (String wrong : List.of("6", "6g", "0x61", "61 62", "ñ")) {
      isUsageError(run("get", "--hex", wrong), "The key" + rest);
    }
    isUsageError(run("put", "--hex", "61", "6"), "The value" + rest);
    isUsageError(run("delete", "--hex", "k"), "The key" + rest);
    isUsageError(run("incr", "--hex", "k", "1"), "The key" + rest);
    isUsageError(run("cas", "--hex", "61", "x", "62"), "The expected value" + rest);
    isUsageError(run("cas", "--hex", "61", "62", "x"), "The new value" + rest);
    isUsageError(run("scan", "--hex", "x"), "START" + rest);
    isUsageError(run("scan", "--hex", "61", "x"), "END" + rest);
    isUsageError(run("scan", "--hex", "--prefix=x"), "The prefix" + rest);
    assertThat(rows()).isEmpty();
  }

  @Test
  void undecodableArgumentsAreRejected() {
    String rest =
        " has characters that could not be decoded (U+FFFD); set LC_ALL=C.UTF-8, or use --hex and"
            + " give the bytes in hexadecimal digits.";
    for (String undecoded : List.of("\ufffd\ufffd", "a\ufffdb", "\ud800", "\udc00x", "x\ud83d")) {
      isUsageError(run("put", undecoded, "1"), "The key" + rest);
      isUsageError(run("put", "k", undecoded), "The value" + rest);
      isUsageError(run("get", undecoded), "The key" + rest);
      isUsageError(run("delete", undecoded), "The key" + rest);
      isUsageError(run("incr", undecoded), "The key" + rest);
      isUsageError(run("cas", undecoded, "1", "2"), "The key" + rest);
      isUsageError(run("cas", "k", undecoded, "2"), "The expected value" + rest);
      isUsageError(run("cas", "k", "1", undecoded), "The new value" + rest);
      isUsageError(run("scan", undecoded), "START" + rest);
      isUsageError(run("scan", "a", undecoded), "END" + rest);
      isUsageError(run("scan", "--prefix", undecoded), "The prefix" + rest);
    }
    assertThat(rows()).isEmpty();
    assertThat(run("put", "\ud83d\ude00", "paired").exitCode()).isZero();
    assertThat(run("put", "--hex", "efbfbd", "01").exitCode()).isZero();
  }

  @Test
  void anEmptyKeyIsAUsageError() {
    String sentence = "A key has at least 1 byte; this one is empty.";
    isUsageError(run("put", "", "v"), sentence);
    isUsageError(run("get", ""), sentence);
    isUsageError(run("delete", ""), sentence);
    isUsageError(run("incr", ""), sentence);
    isUsageError(run("cas", "", "1", "2"), sentence);
    isUsageError(run("get", "--hex", ""), sentence);
    assertThat(run("scan", "").exitCode()).as("from the beginning").isZero();
  }

  @Test
  void anArgumentThatBeginsWithAnAtSignIsNotAFile() throws Exception {
    Path file = Files.writeString(directory.resolve("arguments"), "other");
    assertThat(run("put", "k", "@" + file).exitCode()).isZero();
    assertThat(cluster.value("k")).contains("@" + file);
    assertThat(run("put", "k", "@@home").exitCode()).isZero();
    assertThat(cluster.value("k")).contains("@@home");
  }

  @Test
  void helpStatesWhatHexAppliesTo() {
    Map<String, String> descriptions =
        Map.of(
            "put", "KEY and VALUE are",
            "get", "KEY and the printed value are",
            "delete", "KEY or PREFIX is",
            "cas", "KEY, VALUE and what is printed are",
            "incr", "KEY is",
            "scan", "START, END, the prefix and what is printed are",
            "load", "Keys and values in FILE are");
    descriptions.forEach(
        (verb, description) ->
            assertThat(CliRun.of(verb, "--help").out().replaceAll("\\s+", " "))
                .as(verb)
                .contains("--hex " + description + " hexadecimal digits"));
  }

  @Test
  void anUndecodableFileNameIsAUsageError() {
    CliRun run = run("load", "no\0name");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("The name of the file cannot be decoded;").hasLineCount(1);
  }
}
