package io.quorate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.model.NodeId;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.node.Engines;
import io.quorate.server.node.QuorateNode;
import io.quorate.server.testing.HeadlessBrowser;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console in a real browser. Skipped where there is none. What it looks like is in {@code
 * target/console}.
 */
class ConsoleTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Path PICTURES = Path.of("target/console");
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N4 = new NodeId("n4");

  /** The number of pixels of a chart that have a colour, as curves do, and axes do not. */
  private static final String COLORED_PIXELS =
      """
      (() => {
        const canvas = document.querySelector("#%s canvas");
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let colored = 0;
        for (let i = 0; i < data.length; i += 4) {
          const rgb = data.slice(i, i + 3);
          colored += Math.max(...rgb) - Math.min(...rgb) > 60 ? 1 : 0;
        }
        return colored;
      })()
      """;

  @TempDir private static Path directory;
  private static HeadlessBrowser browser;

  @BeforeAll
  static void startBrowser() throws IOException {
    assumeTrue(
        HeadlessBrowser.program().isPresent(),
        "The console is not tested: there is no chromium on this machine.");
    browser =
        HeadlessBrowser.start(
            HeadlessBrowser.program().get(), Files.createDirectory(directory.resolve("profile")));
  }

  @AfterAll
  static void closeBrowser() {
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  @Tag("slow")
  void aClusterUnderLoadIsShown() throws IOException {
    TestCluster cluster =
        new TestCluster(
            directory,
            4,
            """
            preset = raft
            cluster.regions = 12
            cluster.replicas = 3
            placement.withdraw-after = 10m
            shutdown.transfer-timeout = 1s
            """);
    List<QuorateNode> nodes = new ArrayList<>();
    AtomicBoolean isDone = new AtomicBoolean();
    try {
      for (int i = 0; i < cluster.size(); i++) {
        nodes.add(start(cluster.config(i)));
      }
      nodes.forEach(ConsoleTest::awaitServing);
      try (QuorateClient client = client(cluster)) {
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> load(client, isDone));
        browser.load("http://127.0.0.1:" + nodes.get(0).adminPort() + "/", 1400);
        showsNodesRegionsAndCurves();
        aSelectedNodeIsHighlighted();
        aNodeThatIsDownAndAMoveToItAreShown(client, nodes.get(3));
        isDone.set(true);
        load.join();
      }
      nodes.get(0).close();
      browser.await("document.body.classList.contains('stale')");
    } finally {
      isDone.set(true);
      CompletableFuture.allOf(
              nodes.stream()
                  .map(node -> CompletableFuture.runAsync(node::close))
                  .toArray(CompletableFuture[]::new))
          .join();
    }
  }

  private void showsNodesRegionsAndCurves() throws IOException {
    browser.await("document.querySelectorAll('#nodes tr').length === 4");
    browser.await("document.querySelectorAll('#map .cell').length === 13");
    browser.await("document.querySelector('#verdict.level-healthy')");
    assertThat(browser.evaluate("document.querySelector('#cluster').textContent"))
        .isEqualTo("test");
    // Each cell has the colour of its leader's node, and a dot for each replica.
    browser.await(
        "document.querySelectorAll('#map .cell:is(.node-0,.node-1,.node-2,.node-3)').length === 13");
    assertThat(browser.evaluate("document.querySelectorAll('#map .dot.there').length"))
        .isEqualTo(12 * 3 + 4);
    for (String chart : List.of("throughput", "latency")) {
      browser.await(COLORED_PIXELS.formatted(chart).strip() + " > 300");
      browser.await(
          "parseFloat(document.querySelector('#%s .value').textContent) > 0".formatted(chart));
    }
    browser.screenshot(PICTURES.resolve("cluster.png"));
    // Nothing came from another host, and nothing was refused by the policy of the page.
    assertThat(
            browser.evaluate(
                "performance.getEntriesByType('resource').every(e => e.name.startsWith(location.origin))"))
        .isEqualTo(true);
    assertThat(browser.complaints()).isEmpty();
  }

  private void aSelectedNodeIsHighlighted() {
    browser.evaluate("document.querySelector('#nodes tr[data-key=n2] button').click()");
    assertThat(browser.evaluate("document.querySelector('#scope').value")).isEqualTo("n2");
    browser.await(
        "document.querySelectorAll('#map .leads-here:not([data-key=\"0\"])').length"
            + " === Number(document.querySelector('#nodes tr[data-key=n2] .leads').textContent)");
    assertThat((Integer) browser.evaluate("document.querySelectorAll('#map .elsewhere').length"))
        .isBetween(1, 12);
    browser.evaluate("document.querySelector('#nodes tr[data-key=n2] button').click()");
    assertThat(browser.evaluate("document.querySelectorAll('#map .elsewhere').length"))
        .isEqualTo(0);
  }

  /** The move is not complete before the node returns. */
  private void aNodeThatIsDownAndAMoveToItAreShown(QuorateClient client, QuorateNode n4)
      throws IOException {
    RegionDescriptor moved = movable(client.status());
    n4.close();
    browser.await("document.querySelector('#nodes tr[data-key=n4] .state[data-level=failed]')");
    browser.await("document.querySelector('#verdict.level-degraded')");
    assertThat(browser.evaluate("document.querySelector('#problems').textContent").toString())
        .contains("node n4 is down");
    client.moveReplica(moved.id(), N1, N4);
    String region = "[data-key=\"" + moved.id() + "\"]";
    browser.await(
        "document.querySelector('#changes .change"
            + region
            + " .kind')?.textContent"
            + " === 'replica moves from n1 to n4'");
    browser.await(
        "document.querySelector('#map .cell" + region + " .cell-sign').textContent === '⇄'");
    browser.screenshot(PICTURES.resolve("move.png"));
  }

  private static RegionDescriptor movable(ClusterStatus status) {
    return status.nodes().get(0).state().orElseThrow().regions().stream()
        .filter(region -> region.replicas().contains(N1) && !region.replicas().contains(N4))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aThousandRegionsAreShown() throws IOException {
    NodeMetrics metrics = new NodeMetrics("test", "n1", "1");
    ClusterStatus status = SyntheticCluster.withTroubles(5, 1000);
    AsyncQuorateClient client =
        AsyncQuorateClient.open(ClientOptions.builder("127.0.0.1:1").build());
    AdminContext context =
        new AdminContext(
            N1,
            () -> new Health(List.of(), List.of()),
            () -> true,
            metrics.registry(),
            () -> CompletableFuture.completedFuture(status),
            name -> name.equals("n1.example"),
            client.nodes());
    try (client;
        AdminServer server =
            AdminServer.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                context,
                Optional.empty())) {
      browser.load("http://127.0.0.1:" + server.port() + "/", 1900);
      browser.await("document.querySelectorAll('#map .cell').length === 1001");
      assertThat(
              browser.evaluate(
                  "[...document.querySelectorAll('#map .cell')].every((cell, i) => Number(cell.dataset.key) === i)"))
          .isEqualTo(true);
      assertThat(browser.evaluate("document.querySelectorAll('#map .dot.missing').length"))
          .isEqualTo(2);
      assertThat(browser.evaluate("document.querySelectorAll('#map .cell.no-leader').length"))
          .isEqualTo(1);
      assertThat(browser.evaluate(texts("#changes .kind")))
          .isEqualTo(
              List.of(
                  "replica moves from n1 to n4",
                  "splits at <b>user:00222, new region 1001",
                  "receives the keys of region 12",
                  "ends, region 11 receives its keys"));
      assertThat(browser.evaluate(texts("#map .cell-sign")))
          .asInstanceOf(InstanceOfAssertFactories.list(String.class))
          .filteredOn(sign -> !sign.isEmpty())
          .containsExactly("⇄", "÷", "!", "∪", "∪");
      assertThat(browser.evaluate("document.querySelector('#verdict').className").toString())
          .contains("level-unavailable");
      devicesAndDecisionsAreShown();
      regionsAreReachedByKeyboard();
      browser.screenshot(PICTURES.resolve("thousand-regions.png"));
      browser.preferDark(true);
      browser.await("matchMedia('(prefers-color-scheme: dark)').matches");
      browser.await(COLORED_PIXELS.formatted("throughput").strip() + " > 300");
      browser.screenshot(PICTURES.resolve("thousand-regions-dark.png"));
    } finally {
      browser.preferDark(false);
      metrics.close();
    }
  }

  private static void devicesAndDecisionsAreShown() {
    assertThat(browser.evaluate(texts("#nodes td.device")))
        .asInstanceOf(InstanceOfAssertFactories.list(String.class))
        .hasSize(5)
        .allMatch(text -> text.startsWith("writes ") && text.contains(", rows "))
        .extracting(text -> text.endsWith(", slow"))
        .containsExactly(false, false, true, false, false);
    assertThat(browser.evaluate(texts("#nodes td.device[data-level=warning]")))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(1);
    assertThat(browser.evaluate(texts("#decisions .what")))
        .isEqualTo(
            List.of(
                "transfer of region 8 n3 → n4", "move of region 5 n1 → n4", "merge of region 11"));
    assertThat(browser.evaluate(texts("#decisions .reason")))
        .isEqualTo(
            List.of(
                "the device of n3 has become slow",
                "n1 holds 1.40 of its share",
                "region 12 is too large to be absorbed"));
    // A move that is under way has its reason beside it, a merge not that of the one before.
    assertThat(browser.evaluate(texts("#changes .reason")))
        .isEqualTo(
            List.of("n1 holds 1.40 of its share", "not recorded", "not recorded", "not recorded"));
  }

  /** Keys are shown as they are, also where they look like markup. */
  private static void regionsAreReachedByKeyboard() {
    browser.evaluate("document.querySelector('#map [tabindex=\"0\"]').focus()");
    for (int i = 0; i < 5; i++) {
      browser.press("ArrowRight", 39);
    }
    assertThat(browser.evaluate("document.activeElement.dataset.key")).isEqualTo("5");
    assertThat(browser.evaluate("document.activeElement.getAttribute('aria-label')"))
        .isEqualTo("Region 5, leader n1, serving, move under way");
    assertThat(browser.evaluate("document.querySelector('#detail .keys').textContent"))
        .isEqualTo("<b>user:00185 … <b>user:00222");
    assertThat(browser.evaluate(texts("#detail tbody td:nth-child(2)")))
        .isEqualTo(List.of("leader", "follower", "follower", "new, absent"));
    // A refresh keeps the focus.
    Object shown = browser.evaluate("document.querySelector('#freshness-text').textContent");
    browser.await("document.querySelector('#freshness-text').textContent !== '" + shown + "'");
    assertThat(browser.evaluate("document.activeElement.dataset.key")).isEqualTo("5");
    browser.press("ArrowDown", 40);
    assertThat(Integer.parseInt(browser.evaluate("document.activeElement.dataset.key").toString()))
        .isGreaterThan(20);
  }

  private static String texts(String selector) {
    return "[...document.querySelectorAll('" + selector + "')].map(e => e.textContent)";
  }

  private static QuorateNode start(ServerConfig config) {
    return QuorateNode.start(
        config,
        Engines.available().get(config.mode().engine()),
        failure -> {
          throw failure;
        });
  }

  private static void awaitServing(QuorateNode node) {
    node.serving().toCompletableFuture().orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
  }

  private static QuorateClient client(TestCluster cluster) {
    return QuorateClient.connect(ClientOptions.builder(cluster.seeds()).deadline(TIMEOUT).build());
  }

  private static void load(QuorateClient client, AtomicBoolean isDone) {
    for (int i = 0; !isDone.get(); i++) {
      // The first two bytes decide on the region.
      byte[] key = {(byte) (i * 37), (byte) i, 'k'};
      client.put(key, "value".getBytes());
      client.get(key);
    }
  }
}
