package io.quorate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.client.fake.FakeCluster;
import io.quorate.model.Guarantee;
import io.quorate.model.KeyRange;
import io.quorate.server.cli.format.Notation;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code load} restores the output of {@code scan} in another cluster, byte for byte. */
class ScanAndLoadTest {
  private static final int ROWS = 500;

  /** Text that a faulty escape is likely to change; concatenated at random. */
  private static final List<String> PIECES =
      List.of(
          "\\",
          "\\\\",
          "\\x41",
          "\\x",
          "x0d",
          "\t",
          "\n",
          "\r",
          "\r\n",
          "\0",
          "\u007f",
          "\u0085",
          "\ufeff",
          "\ufffd",
          "\u2028",
          "ñ",
          "世界",
          "\ud83d\ude00",
          "a",
          "=",
          " ",
          "\"",
          "-",
          "@");

  @TempDir private Path directory;
  private FakeCluster from;
  private FakeCluster to;

  @BeforeEach
  void start() {
    from = FakeCluster.start(1, "\\", "ñ");
    to = FakeCluster.start(1, "m");
  }

  @AfterEach
  void stop() {
    from.close();
    to.close();
  }

  @ParameterizedTest
  @EnumSource(Notation.class)
  void everyByteStringIsRestored(Notation notation) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (QuorateClient client = QuorateClient.connect(from.addresses())) {
      client.put(new byte[] {0}, everyByte());
      for (int i = 0; i < ROWS; i++) {
        client.put(bytes(random, 1), bytes(random, 0));
      }
    }
    String[] hex = notation == Notation.HEX ? new String[] {"--hex"} : new String[0];

    CliRun scan = run(from, hex, "scan");
    Path file = Files.write(directory.resolve("rows"), scan.raw());
    CliRun load = run(to, hex, "load", file.toString());

    assertThat(scan.exitCode()).as("seed %d: %s", seed, scan.err()).isZero();
    assertThat(load.exitCode()).as("seed %d: %s", seed, load.err()).isZero();
    List<KeyValue> copied = rows(to);
    assertThat(copied).as("seed %d", seed).isEqualTo(rows(from));
    assertThat(copied.size()).as("seed %d", seed).isGreaterThan(ROWS / 2);
  }

  private static CliRun run(FakeCluster cluster, String[] options, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--at=" + cluster.addresses());
    all.addAll(List.of(options));
    return CliRun.of(all.toArray(String[]::new));
  }

  private static List<KeyValue> rows(FakeCluster cluster) {
    try (QuorateClient client = QuorateClient.connect(cluster.addresses())) {
      List<KeyValue> rows = new ArrayList<>();
      client.withGuarantee(Guarantee.LINEARIZABLE).scan(KeyRange.ALL).forEach(rows::add);
      return rows;
    }
  }

  private static byte[] everyByte() {
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    return all;
  }

  /** Random pieces of UTF-8 text, or a random mix of such pieces and single bytes. */
  private static byte[] bytes(Random random, int piecesMin) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int pieces = piecesMin + random.nextInt(6);
    boolean isText = random.nextBoolean();
    for (int i = 0; i < pieces; i++) {
      if (isText || random.nextBoolean()) {
        String piece = PIECES.get(random.nextInt(PIECES.size()));
        bytes.writeBytes(piece.getBytes(StandardCharsets.UTF_8));
      } else {
        bytes.write(random.nextInt(256));
      }
    }
    return bytes.toByteArray();
  }
}
