package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.server.config.ClusterMode;
import io.quorate.server.config.Preset;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the metrics of nodes with the names in documents and in files for operators. */
class MetricsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern OWN_NAME = Pattern.compile("\\bquorate_[a-z0-9_]+");
  private static final String SERIES_END = "_(bucket|sum|count|max)$";

  @TempDir private static Path directory;

  private static List<String> lines;

  @BeforeAll
  static void collect() throws Exception {
    lines =
        Stream.of(pageOf("raft", 1), pageOf("acqr", 1), pageOf("craft", 3))
            .flatMap(String::lines)
            .distinct()
            .toList();
  }

  /** The page of the first node of a cluster with that preset. */
  private static String pageOf(String name, int size) throws Exception {
    Preset preset = Preset.named(name).orElseThrow();
    ClusterMode mode = preset.mode();
    ConsensusEngineProvider engine = Engines.available().get(mode.engine());
    TestCluster cluster = new TestCluster(directory.resolve(name), size, "preset = " + name);
    List<QuorateNode> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < size; i++) {
        nodes.add(
            QuorateNode.start(
                cluster.config(i),
                engine,
                failure -> {
                  throw failure;
                }));
      }
      for (QuorateNode node : nodes) {
        node.serving().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
      }
      try (QuorateClient client = QuorateClient.connect(cluster.seeds())) {
        client.put("a", "1");
        client.get("a");
      }
      return HttpClient.newHttpClient()
          .send(
              HttpRequest.newBuilder(
                      URI.create(
                          "http://127.0.0.1:" + cluster.config(0).self().adminPort() + "/metrics"))
                  .build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    } finally {
      nodes.forEach(QuorateNode::close);
    }
  }

  /** The names of Quorate's own metrics, from the TYPE lines of the page. */
  private static Set<String> names() {
    return lines.stream()
        .filter(line -> line.startsWith("# TYPE quorate_"))
        .map(line -> line.split(" ")[2])
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> namedIn(String file) throws IOException {
    return OWN_NAME
        .matcher(Files.readString(ROOT.resolve(file)))
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyMetricHasAHelpTextALabelForItsNodeAndABaseUnit() {
    assertThat(names()).hasSizeGreaterThan(60);
    for (String name : names()) {
      assertThat(lines)
          .anyMatch(line -> line.matches("# HELP " + name + " [A-Z0-9].+"))
          .noneMatch(line -> line.startsWith(name + "{") && !line.contains("node=\"n1\""));
      assertThat(name).doesNotContainPattern("_(nanos|micros|millis|milliseconds|mb|n1)(_|$)");
    }
    assertThat(lines).noneMatch(line -> line.startsWith("ratis_"));
  }

  @Test
  void theDocumentListsEveryMetric() throws IOException {
    // The recent maximum is not a metric of its own.
    Set<String> present =
        names().stream()
            .filter(name -> !name.endsWith("_max"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(namedIn("docs/metrics.md")).isEqualTo(present);
  }

  @Test
  void theDocumentHasTheTypeOfEveryMetric() throws IOException {
    Pattern row = Pattern.compile("^\\| `(quorate_[a-z0-9_]+)` \\| ([a-z]+) \\|");
    List<String> documented =
        Files.readAllLines(ROOT.resolve("docs/metrics.md")).stream()
            .map(row::matcher)
            .filter(Matcher::find)
            .map(found -> "# TYPE " + found.group(1) + " " + found.group(2))
            .toList();
    assertThat(documented).hasSizeGreaterThan(60);
    assertThat(lines).containsAll(documented);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ops/quorate-alerts.yml", "ops/quorate-dashboard.json", "docs/operations.md"})
  void everyNamedMetricExists(String file) throws IOException {
    Set<String> names = names();
    assertThat(namedIn(file))
        .isNotEmpty()
        .allMatch(
            name -> names.contains(name) || names.contains(name.replaceFirst(SERIES_END, "")));
  }
}
