package io.quorate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.common.LoopbackPorts;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.Replica;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A command that reaches nodes of two clusters changes neither, and shows the state of neither. */
class TwoClustersTest {
  private FakeCluster here;
  private FakeCluster there;

  @BeforeEach
  void start() {
    here = serving("here");
    there = serving("there");
  }

  private static FakeCluster serving(String name) {
    FakeCluster cluster = FakeCluster.start(1).named(name);
    Replica metadata =
        Replica.newBuilder().setRegion(0).setEpoch(1).addReplicas("n1").setServing(true).build();
    cluster
        .node(1)
        .always(Opcode.STATUS, Reaction.changedStatus(status -> status.addReplicas(metadata)));
    return cluster;
  }

  @AfterEach
  void stop() {
    here.close();
    there.close();
  }

  private static CliRun run(String line, String addresses) {
    List<String> arguments = new ArrayList<>(List.of(line.split(" ")));
    arguments.add("--at=" + addresses);
    return CliRun.of(arguments.toArray(String[]::new));
  }

  private void assertNothingChanged() {
    for (FakeCluster cluster : List.of(here, there)) {
      assertThat(cluster.node(1).writes()).isEmpty();
      for (Opcode change :
          List.of(
              Opcode.CHANGE_NODES,
              Opcode.SPLIT_REGION,
              Opcode.MOVE_REPLICA,
              Opcode.TRANSFER_LEADER)) {
        assertThat(cluster.node(1).count(change)).as(change.toString()).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get a",
        "put a 1",
        "scan",
        "status",
        "status --check",
        "node",
        "placement",
        "node drain n1",
        "region split h --no-wait",
        "move-leader 1 n1",
        "move-replica 1 n1 n2"
      })
  void addressesOfTwoClustersAreRefused(String line) {
    for (List<FakeCluster> order : List.of(List.of(here, there), List.of(there, here))) {
      CliRun run = run(line, order.get(0).addresses() + "," + order.get(1).addresses());
      assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
      assertThat(run.err())
          .startsWith("The addresses are those of two clusters: ")
          .contains("\"here\"", "\"there\"")
          .hasLineCount(1);
      assertThat(run.out()).isEmpty();
    }
    assertNothingChanged();
  }

  @ParameterizedTest
  @ValueSource(strings = {"node add ", "node replace ", "node add --dry-run "})
  void aNodeOfAnotherClusterIsRefused(String verb) {
    CliRun run = run(verb + there.addresses(), here.addresses());
    assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
    assertThat(run.err()).contains("cluster there, not to here").hasLineCount(1);
    assertNothingChanged();
  }

  @Test
  void anAddressWhereNothingListensIsNoObstacle() {
    String nothing = "127.0.0.1:" + LoopbackPorts.next();
    assertThat(run("put a 1", here.addresses() + "," + nothing).exitCode()).isZero();
    assertThat(run("get a", nothing + "," + here.addresses()).out()).isEqualTo("1\n");
  }

  /** As localhost for 127.0.0.1. */
  @Test
  void anotherNameOfANodeIsNoOtherCluster() {
    String other = "localhost:" + here.node(1).port();
    assertThat(run("put a 1", here.addresses() + "," + other).exitCode()).isZero();
    assertThat(here.value("a")).contains("1");
  }
}
