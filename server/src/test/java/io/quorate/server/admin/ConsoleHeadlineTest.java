package io.quorate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.model.NodeId;
import io.quorate.server.admin.SyntheticCluster.Failure;
import io.quorate.server.testing.HeadlessBrowser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the console says of failures, in a real browser. Skipped where there is none. */
class ConsoleHeadlineTest {
  @TempDir private static Path directory;
  private static HeadlessBrowser browser;
  private static NodeMetrics metrics;
  private static AsyncQuorateClient client;
  private static AdminServer server;

  private static volatile ClusterStatus status = SyntheticCluster.after(Optional.empty());

  @BeforeAll
  static void start() throws IOException {
    assumeTrue(
        HeadlessBrowser.program().isPresent(),
        "The console is not tested: there is no chromium on this machine.");
    browser =
        HeadlessBrowser.start(
            HeadlessBrowser.program().get(), Files.createDirectory(directory.resolve("profile")));
    metrics = new NodeMetrics("test", "n1", "1");
    client = AsyncQuorateClient.open(ClientOptions.builder("127.0.0.1:1").build());
    AdminContext context =
        new AdminContext(
            new NodeId("n1"),
            () -> new Health(List.of(), List.of()),
            () -> true,
            metrics.registry(),
            () -> CompletableFuture.completedFuture(status),
            name -> name.equals("n1.example"),
            client.nodes());
    server =
        AdminServer.open(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), context, Optional.empty());
    browser.load("http://127.0.0.1:" + server.port() + "/", 1400);
  }

  @AfterAll
  static void close() {
    if (browser != null) {
      browser.close();
    }
    if (server != null) {
      server.close();
      client.close();
      metrics.close();
    }
  }

  private static String text(String selector) {
    return browser
        .evaluate("document.querySelector('" + selector + "')?.textContent ?? ''")
        .toString();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          NODE_DOWN           | degraded    | Degraded: every region accepts writes, but 7 of 7 regions have replicas that are missing or behind. | node n3 is down
          MAJORITY_LOST       | unavailable | Unavailable: 6 of 6 regions accept no writes.                                                      | node n2 is down
          FULL_DISK           | degraded    | Degraded: every region accepts writes, but node n1 refuses writes: The disk of this node is nearly full. | node n1 refuses writes
          FULL_DISK_OF_LEADER | unavailable | Unavailable: 1 of 6 regions accepts no writes.                                                     | regions 0, 3 take no writes
          STUCK_REPLICA       | degraded    | Degraded: every region accepts writes, but 5 of 7 regions have replicas that are missing or behind. | node n2 has been behind with regions 0, 1, 2, 3, 4 for 95 s
          LOST_REPLICA        | degraded    | Degraded: every region accepts writes, but 1 of 7 regions has a replica that is missing or behind.  | region 2 has lost its replica on n1
          """)
  void theHeadlineSaysWhatIsTheCase(Failure failure, String level, String headline, String problem)
      throws IOException {
    status = SyntheticCluster.after(Optional.of(failure));
    browser.await("document.querySelector('#verdict.level-" + level + "')");
    browser.await("document.querySelector('#problems').textContent.includes('" + problem + "')");
    assertThat(text("#headline")).isEqualTo(headline);
    browser.screenshot(Path.of("target/console", failure + ".png"));
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void regionsThatHibernateAreInTheLegendAndCounted() {
    status = SyntheticCluster.after(Optional.empty());
    browser.await("document.querySelector('#verdict.level-healthy')");
    assertThat(text("#headline"))
        .isEqualTo("Healthy: 6 regions on 3 nodes, and no replica is missing or behind.");
    assertThat(text("#region-legend")).contains("hibernates until its next use");
    assertThat(
            browser.evaluate(
                "getComputedStyle(document.querySelector('#region-legend .asleep')).backgroundColor"
                    + " === getComputedStyle(document.querySelector('#map .cell.asleep')).backgroundColor"))
        .isEqualTo(true);
    assertThat(text("#regions-summary")).contains("2 hibernating, which no node leads");
    assertThat(
            browser.evaluate(
                "[...document.querySelectorAll('#nodes td.leads')]"
                    + ".reduce((sum, cell) => sum + Number(cell.textContent), 0)"))
        .isEqualTo(4);
  }

  @Test
  void aNodeThatIsBehindIsMarkedInItsRowAndInTheMap() {
    status = SyntheticCluster.after(Optional.of(Failure.STUCK_REPLICA));
    browser.await(
        "document.querySelector('#nodes tr[data-key=n2] .state[data-level=warning]')?.textContent"
            + " === 'behind for 95 s'");
    assertThat(browser.evaluate("document.querySelectorAll('#map .dot.missing').length"))
        .isEqualTo(5);
  }
}
