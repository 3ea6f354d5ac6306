package io.quorate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.server.cli.terminal.Terminal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class VerbsTest {
  private FakeCluster cluster;
  private volatile CliRun watched;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "m");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private CliRun run(String... arguments) {
    return CliRun.of(withAddress(arguments));
  }

  private String[] withAddress(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add(1, "--at=" + cluster.addresses());
    return all.toArray(String[]::new);
  }

  private static void isOneSentence(CliRun run) {
    assertThat(run.err()).endsWith(".\n").doesNotContain("Exception").doesNotContain("\tat ");
    assertThat(run.err().lines()).hasSize(1);
  }

  @Test
  void aBatchAppliesAllItsChanges() {
    assertThat(run("batch", "put a the value", "incr c 3", "append a !", "delete b").exitCode())
        .isZero();
    assertThat(cluster.value("a")).contains("the value!");
    assertThat(cluster.value("c")).contains("3");
    CliRun lines =
        CliRun.withInput(
            "put a 1\n\nincr c\n".getBytes(StandardCharsets.UTF_8), withAddress("batch"));
    assertThat(lines.exitCode()).isZero();
    assertThat(cluster.value("a")).contains("1");
    assertThat(cluster.value("c")).contains("4");
    assertThat(run("batch", "--hex", "put 61 32").exitCode()).isZero();
    assertThat(cluster.value("a")).contains("2");
  }

  @Test
  void anInvalidBatchChangesNothing() {
    for (String change :
        List.of("get a", "put a", "put", "delete a b", "incr a many", "put  ", "")) {
      CliRun run = run("batch", "put a 1", change);
      assertThat(run.exitCode()).as(change).isEqualTo(2);
      assertThat(run.err()).as(change).endsWith(".\nSee quorate batch --help.\n");
    }
    assertThat(run("batch").exitCode()).isEqualTo(2);
    // The other region begins at "m".
    CliRun split = run("batch", "put a 1", "put z 1");
    assertThat(split.exitCode()).isEqualTo(5);
    isOneSentence(split);
    assertThat(cluster.value("a")).isEmpty();
  }

  @Test
  void parserErrorsAreOneSentence() {
    assertThat(run("scan", "--limit", "many").err())
        .startsWith("Invalid value for option '--limit'")
        .contains("'many' is not a whole number, or too large.\n");
    assertThat(run("get", "a", "b").err()).startsWith("get takes no argument \"b\" there.\n");
    assertThat(CliRun.of("get", "a", "--at=http://localhost:7001").err())
        .startsWith("A host is a name")
        .contains("without a scheme");
  }

  @Test
  void jsonOutput() {
    assertThat(run("get", "k", "--json").out()).isEqualTo("{\"key\": \"k\", \"value\": null}\n");
    assertThat(run("getput", "k", "a\\b", "--json").out())
        .isEqualTo("{\"key\": \"k\", \"before\": null}\n");
    assertThat(run("get", "k", "--json").out())
        .isEqualTo("{\"key\": \"k\", \"value\": \"a\\\\\\\\b\"}\n");
    assertThat(run("incr", "n", "7", "--json").out()).isEqualTo("{\"key\": \"n\", \"value\": 7}\n");
    assertThat(run("cas", "n", "7", "8", "--json").out())
        .isEqualTo("{\"key\": \"n\", \"swapped\": true, \"value\": \"8\"}\n");
    CliRun refused = run("cas", "n", "7", "9", "--json");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.out()).isEqualTo("{\"key\": \"n\", \"swapped\": false, \"value\": \"8\"}\n");
    assertThat(run("scan", "6f", "--json", "--hex").out()).isEmpty();
    assertThat(run("scan", "--prefix", "6e", "--json", "--hex").out())
        .isEqualTo("{\"key\": \"6e\", \"value\": \"38\"}\n");
    assertThat(run("scan", "--keys-only").out()).isEqualTo("k\nn\n");
    assertThat(run("count", "--json").out()).isEqualTo("{\"prefix\": \"\", \"keys\": 2}\n");
  }

  @Test
  void everyKeyWithAPrefixIsRemoved() {
    for (String key : List.of("a", "k1", "k2", "l", "x1")) {
      assertThat(run("put", key, "v").exitCode()).isZero();
    }
    assertThat(run("delete", "--prefix", "k").out()).isEqualTo("Removed 2 keys.\n");
    assertThat(run("delete", "--prefix", "78", "--hex").out()).isEqualTo("Removed 1 keys.\n");
    assertThat(run("delete", "--prefix", "k").out()).isEqualTo("Removed 0 keys.\n");
    assertThat(run("scan", "--keys-only").out()).isEqualTo("a\nl\n");
    for (List<String> wrong : List.of(List.of("--prefix="), List.of("a", "--prefix=a"))) {
      List<String> arguments = new ArrayList<>(List.of("delete"));
      arguments.addAll(wrong);
      assertThat(run(arguments.toArray(String[]::new)).exitCode()).isEqualTo(2);
    }
    assertThat(run("delete").exitCode()).isEqualTo(2);
    assertThat(run("scan", "--keys-only").out()).isEqualTo("a\nl\n");
  }

  @Test
  void leadershipIsTransferred() {
    CliRun moved = run("move-leader", "2", "n3");
    assertThat(moved.exitCode()).isZero();
    assertThat(moved.out()).isEqualTo("Node n3 leads region 2.\n");
    assertThat(run("status").out()).containsPattern("n3 +leader");

    CliRun unknown = run("move-leader", "9", "n3");
    assertThat(unknown.exitCode()).isEqualTo(5);
    assertThat(unknown.err()).isEqualTo("No node that responded has region 9.\n");
    assertThat(run("move-leader", "-1", "n3").exitCode()).isEqualTo(2);
    assertThat(run("move-leader", "1", "a b").exitCode()).isEqualTo(2);
    cluster.setLeader(1, "");
    assertThat(run("move-leader", "1", "n2").exitCode()).isEqualTo(3);
    cluster.leaderless();
    CliRun leaderless = run("move-leader", "1", "n2");
    assertThat(leaderless.exitCode()).isEqualTo(5);
    assertThat(leaderless.err()).isEqualTo("Regions of this cluster have no leader.\n");
  }

  @Test
  void aReplicaIsMovedByRegion0Alone() {
    CliRun withoutRegion0 = run("move-replica", "1", "n1", "n4", "--timeout=1s");
    assertThat(withoutRegion0.exitCode()).isEqualTo(3);
    assertThat(withoutRegion0.err()).startsWith("No node that responded serves region 0");
    isOneSentence(withoutRegion0);
    assertThat(run("move-replica", "0", "n1", "n4").exitCode()).isEqualTo(2);
    assertThat(run("move-replica", "1", "a b", "n4").exitCode()).isEqualTo(2);
  }

  @Test
  void aRegionIsSplitAtAKeyByRegion0Alone() {
    CliRun withoutRegion0 = run("region", "split", "m", "--timeout=1s");
    assertThat(withoutRegion0.exitCode()).isEqualTo(3);
    assertThat(withoutRegion0.err()).startsWith("No node that responded serves region 0");
    isOneSentence(withoutRegion0);
    assertThat(run("region", "split", "").exitCode()).isEqualTo(2);
    assertThat(run("region", "split", "xyz", "--hex").exitCode()).isEqualTo(2);
    CliRun withoutVerb = run("region");
    assertThat(withoutVerb.exitCode()).isEqualTo(2);
    assertThat(withoutVerb.err()).contains("split KEY").contains("merge KEY");
  }

  @Test
  void putGetDelete() {
    assertThat(run("put", "k", "grüße").exitCode()).isZero();
    assertThat(cluster.value("k")).contains("grüße");
    CliRun get = run("get", "k");
    assertThat(get.exitCode()).isZero();
    assertThat(get.out()).isEqualTo("grüße\n");
    assertThat(get.err()).isEmpty();
    assertThat(run("delete", "k").exitCode()).isZero();
    CliRun gone = run("get", "k");
    assertThat(gone.exitCode()).isEqualTo(1);
    assertThat(gone.out()).isEmpty();
    assertThat(gone.err()).isEqualTo("There is no key \"k\".\n");
    assertThat(run("delete", "k").exitCode()).isZero();
  }

  @Test
  void aValueFromStandardInputIsStoredAndPrintedLiterally() {
    byte[] value = {0, 1, (byte) 0xff, '\n'};
    CliRun put = CliRun.withInput(value, withAddress("put", "k", "-"));
    assertThat(put.exitCode()).isZero();
    assertThat(run("get", "k").raw()).isEqualTo(value);
    assertThat(run("get", "6b", "--hex").out()).isEqualTo("0001ff0a\n");
  }

  @Test
  void aValueThatLooksLikeAnOptionFollowsTwoDashes() {
    assertThat(run("put", "--", "k", "--hex").exitCode()).isZero();
    assertThat(cluster.value("k")).contains("--hex");
  }

  @Test
  void cas() {
    assertThat(run("cas", "k", "1", "--absent").exitCode()).isZero();
    CliRun present = run("cas", "k", "2", "--absent");
    assertThat(present.exitCode()).isEqualTo(1);
    assertThat(present.err()).isEqualTo("The value is another: 1\n");
    assertThat(run("cas", "k", "1", "2").exitCode()).isZero();
    assertThat(cluster.value("k")).contains("2");
    assertThat(run("cas", "k", "2", "--delete").exitCode()).isZero();
    CliRun gone = run("cas", "k", "2", "3");
    assertThat(gone.exitCode()).isEqualTo(1);
    assertThat(gone.err()).isEqualTo("There is no key \"k\".\n");
    CliRun misused = run("cas", "k", "1", "2", "--absent");
    assertThat(misused.exitCode()).isEqualTo(2);
    assertThat(misused.err())
        .startsWith("cas takes a key and, with these options, 1 value, not 2.");
    assertThat(run("cas", "k", "--absent", "--delete").exitCode()).isEqualTo(2);
  }

  @Test
  void incr() {
    CliRun first = run("incr", "n");
    assertThat(first.err()).isEmpty();
    assertThat(first.out()).isEqualTo("1\n");
    assertThat(run("incr", "n", "41").out()).isEqualTo("42\n");
    assertThat(run("incr", "n", "-50").out()).isEqualTo("-8\n");
    run("put", "text", "abc");
    assertThat(run("incr", "n", "10", "--split-result").out()).isEqualTo("2\n");
    CliRun refused = run("incr", "text");
    assertThat(refused.exitCode()).isEqualTo(5);
    isOneSentence(refused);
  }

  @Test
  void scan() {
    for (String key : List.of("a", "user:1", "user:2", "z")) {
      run("put", key, "v\t" + key);
    }
    assertThat(run("scan").out())
        .isEqualTo("a\tv\\x09a\nuser:1\tv\\x09user:1\nuser:2\tv\\x09user:2\nz\tv\\x09z\n");
    assertThat(run("scan", "b", "user:2").out().lines()).containsExactly("user:1\tv\\x09user:1");
    assertThat(run("scan", "--prefix", "user:").out().lines()).hasSize(2);
    assertThat(run("scan", "--limit", "3").out().lines()).hasSize(3);
    assertThat(run("scan", "--hex", "--limit=1").out()).isEqualTo("61\t760961\n");
    assertThat(run("scan", "--reverse", "--keys-only").out()).isEqualTo("z\nuser:2\nuser:1\na\n");
    assertThat(run("scan", "--reverse", "--limit=1", "--prefix", "user:").out().lines())
        .containsExactly("user:2\tv\\x09user:2");
    assertThat(run("scan", "--limit=0").exitCode()).isEqualTo(2);
    assertThat(run("scan", "a", "--prefix", "b").exitCode()).isEqualTo(2);
    CliRun reversed = run("scan", "b", "a");
    assertThat(reversed.exitCode()).isEqualTo(2);
    assertThat(reversed.err()).startsWith("START is at or before END: \"b\" is after \"a\".");
  }

  @Test
  void statusShowsNodesAndRegions() {
    try (QuorateClient client = QuorateClient.connect(cluster.addresses())) {
      client.put("a", "1");
    }
    cluster.setLeader(2, "n2");
    cluster.node(3).stop();
    CliRun status = run("status");
    assertThat(status.exitCode()).isZero();
    assertThat(status.out())
        .startsWith(
            "DEGRADED: node n3 is down\nCluster fake, preset raft: engine raft, reads leader\n\n")
        .containsPattern("n1 +127\\.0\\.0\\.1:\\d+ +up +61s +\\S+ +accepted")
        .containsPattern("n3 +127\\.0\\.0\\.1:\\d+ +down")
        .containsPattern("n3: .*refused.*\\.\n")
        .containsPattern(
            "1 +first \\.\\. m +n1 +leader +0 +0 +0\n +n2 +follower +0 +0 +0\n +n3 +down +- +- +-\n")
        .containsPattern("2 +m \\.\\. last +n1 +follower +- +- +-\n +n2 +leader +- +- +-\n")
        .doesNotContain("READ AT");
    assertThat(run("status", "--verbose").out())
        .containsPattern("1 +n1 +5 +5 +1\\.5us +- +4 +50% +25%")
        .doesNotContainPattern("1 +n2 +5");
  }

  @Test
  void statusAsJson() {
    cluster.setLeader(2, "");
    cluster.node(3).stop();
    CliRun status = run("status", "--json");
    assertThat(status.exitCode()).isZero();
    String json = status.out().replaceAll("\\s+", " ");
    assertThat(json)
        .startsWith(
            "{ \"health\": { \"level\": \"unavailable\", \"problems\": [ \"region 2 takes no writes,"
                + " because no replica leads or is ready\", \"node n3 is down\" ] }, \"cluster\": \"fake\", \"preset\": \"raft\", \"settings\": { \"engine\": \"raft\", \"reads\": \"leader\" }, \"leaderless\": false, \"nodes\": [ {")
        .contains("\"up\": false")
        .contains("\"uptimeMs\": 61000")
        .contains("\"id\": 1, \"epoch\": 1, \"start\": \"\", \"end\": \"m\", \"leader\": \"n1\"")
        .contains("\"start\": \"m\", \"end\": null, \"leader\": null")
        .contains("\"members\": [ \"n1\", \"n2\", \"n3\" ]")
        .contains(
            "\"reads\": { \"readIndex\": 4, \"gap\": 5, \"rowNanos\": 1520, \"applyNanos\": null,"
                + " \"merged\": 1, \"immediate\": 2, \"relaxed\": 1 }")
        .contains("\"reads\": null");
  }

  @Test
  void statusShowsBodiesWhereNodesReportThem() {
    assertThat(run("status").out()).doesNotContain("FRAGMENTS");
    assertThat(run("status", "--json").out().replaceAll("\\s+", " "))
        .contains("\"bodies\": null")
        .doesNotContain("\"fragments\"");

    cluster.reportBodies();
    assertThat(run("status").out())
        .containsPattern("REGION +REPLICA +FRAGMENTS +COMPLETE +DEGRADED +BYTES\n")
        .containsPattern("1 +n1 +20 +3 +3 +123456\n1 +n2 +- +- +- +-\n")
        .containsPattern("2 +n1 +20 +3 +3 +123456\n");
    assertThat(run("status", "--json").out().replaceAll("\\s+", " "))
        .contains(
            "\"bodies\": { \"fragments\": 20, \"complete\": 3, \"missing\": 2, \"damaged\": 1,"
                + " \"bytes\": 123456 }")
        .as("of a node that does not report them")
        .contains("\"bodies\": null");
  }

  @Test
  void statusOfRegionsWithoutLeaders() {
    cluster.leaderless();

    assertThat(run("status").out()).containsPattern("1 +first \\.\\. m +n1 +ready");
    assertThat(run("status", "--json").out()).contains("\"leaderless\": true");
  }

  @Test
  void theExitCodeOfStatusCheckStatesTheHealth() {
    CliRun healthy = run("status", "--check");
    assertThat(healthy.exitCode()).isZero();
    assertThat(healthy.out()).isEqualTo("HEALTHY\n");

    cluster.node(3).stop();
    CliRun degraded = run("status", "--check");
    assertThat(degraded.exitCode()).isEqualTo(1);
    assertThat(degraded.out()).isEqualTo("DEGRADED: node n3 is down\n");
    assertThat(run("status").exitCode()).isZero();

    cluster.node(2).stop();
    CliRun unavailable = run("status", "--check");
    assertThat(unavailable.exitCode()).isEqualTo(3);
    assertThat(unavailable.out())
        .isEqualTo(
            "UNAVAILABLE: regions 1, 2 take no writes, because fewer than a majority of the replicas"
                + " are there; node n2 is down; node n3 is down\n");
    assertThat(run("status").exitCode()).isZero();

    cluster.node(1).stop();
    assertThat(run("status", "--check").out()).isEqualTo("UNAVAILABLE: no node responds\n");
  }

  @Test
  void statusIsRepeatedAtTheWatchInterval() throws InterruptedException {
    Thread watcher = new Thread(() -> watched = run("status", "--check", "--watch=10ms"));
    watcher.start();
    await().atMost(Duration.ofSeconds(30)).until(() -> cluster.node(1).count(Opcode.STATUS) >= 3);
    watcher.interrupt();
    watcher.join();
    assertThat(watched.out()).startsWith("HEALTHY\n\nHEALTHY\n");
  }

  @Test
  void statusWithoutARunningNodeIsUnavailable() {
    cluster.nodes().forEach(FakeNode::stop);
    CliRun status = run("status");
    assertThat(status.exitCode()).isEqualTo(3);
    assertThat(status.out()).contains("down");
  }

  @Test
  void anUnreachableClusterIsUnavailable() {
    cluster.nodes().forEach(FakeNode::stop);
    CliRun put = run("put", "k", "v", "--timeout=300ms");
    assertThat(put.exitCode()).isEqualTo(3);
    isOneSentence(put);
  }

  @Test
  void aWriteWithoutAResponseIsIndeterminate() {
    cluster.nodes().forEach(node -> node.always(Opcode.WRITE, Reaction.swallow()));
    CliRun put = run("put", "k", "v", "--timeout=1s");
    assertThat(put.exitCode()).isEqualTo(4);
    isOneSentence(put);
  }

  @Test
  void aWriteThatTheClusterRefusesIsRefused() {
    cluster.node(1).next(Opcode.WRITE, Reaction.refuse(Status.INVALID));
    CliRun put = run("put", "k", "v");
    assertThat(put.exitCode()).isEqualTo(5);
  }

  @Test
  void aServerOfAnotherProtocolIsAWrongAddress() {
    cluster
        .nodes()
        .forEach(
            n ->
                n.always(
                    Opcode.HELLO,
                    Reaction.send("HTTP/1.1 400 Bad Request".getBytes(StandardCharsets.US_ASCII))));
    CliRun put = run("put", "k", "v");
    assertThat(put.exitCode()).isEqualTo(2);
    isOneSentence(put);
  }

  @Test
  void aWrongCommandLineIsAUsageError() {
    List<String[]> wrong =
        List.of(
            new String[] {"put", "k"},
            new String[] {"get"},
            new String[] {"get", "k", "--bogus"},
            new String[] {"get", "k", "--timeout=5"},
            new String[] {"get", "k", "--timeout=6m"},
            new String[] {"incr", "k", "many"},
            new String[] {"load", "no-such-file"});
    for (String[] arguments : wrong) {
      CliRun run = run(arguments);
      assertThat(run.exitCode()).as(String.join(" ", arguments)).isEqualTo(2);
      assertThat(run.err()).isNotBlank().doesNotContain("\tat ");
      assertThat(run.err().lines().count()).isLessThanOrEqualTo(2);
    }
    CliRun address = CliRun.of("get", "k", "--at=nowhere");
    assertThat(address.exitCode()).isEqualTo(2);
    assertThat(address.err()).startsWith("An address is host:port, not \"nowhere\".");
  }

  @Test
  void everyVerbHasHelp() {
    for (CommandLine commands : ClientCommands.all(Terminal.standard())) {
      String verb = commands.getCommandName();
      assertThat(CliRun.of(verb, "--help").exitCode()).as(verb).isZero();
    }
  }

  @Test
  void statusListsANodeOnceWhateverItsHostName() {
    CliRun status = CliRun.of("status", "--at=localhost:" + cluster.node(1).port());
    assertThat(status.out().lines().filter(line -> line.startsWith("n1 "))).hasSize(1);
    assertThat(new String(status.raw(), StandardCharsets.UTF_8)).contains("n3");
  }
}
