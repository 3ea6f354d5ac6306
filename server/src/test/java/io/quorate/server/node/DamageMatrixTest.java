package io.quorate.server.node;

import static io.quorate.server.node.DamagedFiles.cut;
import static io.quorate.server.node.DamagedFiles.delete;
import static io.quorate.server.node.DamagedFiles.deleteAll;
import static io.quorate.server.node.DamagedFiles.flip;
import static io.quorate.server.node.DamagedFiles.fullestLog;
import static io.quorate.server.node.DamagedFiles.largest;
import static io.quorate.server.node.DamagedFiles.makeUnreadable;
import static io.quorate.server.node.DamagedFiles.newestLog;
import static io.quorate.server.node.DamagedFiles.nodeLog;
import static io.quorate.server.node.DamagedFiles.oldestLog;
import static io.quorate.server.node.DamagedFiles.overwrite;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.common.DurableFiles;
import io.quorate.model.GroupId;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every kind of damage to the files of one node, while another node is off that has acknowledged
 * nothing since: no acknowledged write is ever missing. The damaged node refuses to start, or loses
 * its replica, or the damage is harmless; with the third node, all writes are there again. Under
 * the preset with coded replication only what is different there is damaged.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class DamageMatrixTest extends ClusterFixture {

  /** With Raft, of more than one log file. */
  private static final int WRITES = 400;

  private static final int LARGE_WRITES = 6;
  private static final int LARGE = 300_000;

  /** How long something that is not there is looked for. */
  private static final Duration ATTEMPT = Duration.ofSeconds(2);

  private static final int ATTEMPTS = 4;

  /** What may happen when a node starts with a damage. */
  private enum Outcome {
    /** The node does not start. */
    REFUSED,
    /** Nodes that were connected to it refuse the node. */
    SHUT_OUT,
    /** The node reports that its replica is lost. */
    LOST,
    /** The node serves without the values, until another one has restored them. */
    RESTORED,
    HARMLESS
  }

  private interface Change {
    void apply(Path data) throws IOException;
  }

  private record Damage(String kind, Outcome outcome, Change change) {}

  static Stream<Preset> presets() {
    return presets("raft acqr craft", "");
  }

  @AfterEach
  @Override
  void stop() {
    super.stop();
    nodes.clear();
  }

  private List<Damage> damages() {
    List<Damage> damages = new ArrayList<>();
    damages.add(new Damage("nothing", Outcome.HARMLESS, data -> {}));
    if (isCoded()) {
      damages.addAll(ofBodies());
      return damages;
    }
    damages.addAll(ofTheNode());
    damages.addAll(ofTheLog());
    damages.addAll(ofTheLogOfAllRegions());
    damages.addAll(ofStorage());
    return damages;
  }

  private boolean isRaft() {
    return preset.mode().engine().equals("raft");
  }

  private boolean isCoded() {
    return preset.name().equals("craft");
  }

  private List<Damage> ofTheNode() {
    return List.of(
        refused("identity missing", data -> Files.delete(data.resolve("identity"))),
        refused("identity emptied", data -> Files.write(data.resolve("identity"), new byte[0])),
        refused("cluster in identity changed", data -> replace(data, "\ncluster=", "\ncluster=x")),
        refused("disk in identity changed", data -> replace(data, "\ndisk=", "\ndisk=x")),
        refused("starts missing", data -> Files.delete(data.resolve("starts"))),
        refused("starts changed", data -> flip(data.resolve("starts"))),
        refused("consensus/starts missing", data -> Files.delete(data.resolve("consensus/starts"))),
        refused("storage/starts changed", data -> flip(data.resolve("storage/starts"))),
        refused("consensus/ missing", data -> delete(data, "consensus")),
        refused("replicas/ missing", data -> delete(data, "replicas")),
        refused("replicas/records missing", data -> Files.delete(records(data))),
        refused("replicas/ emptied, and no group", this::withoutReplicas),
        harmless("replicas/joined missing", data -> Files.delete(data.resolve("replicas/joined"))),
        refused("replicas/joined changed", data -> flip(data.resolve("replicas/joined"))),
        refused("replicas/records emptied", data -> Files.write(records(data), new byte[0])),
        refused("replicas/records changed", data -> flip(records(data))));
  }

  private void withoutReplicas(Path data) throws IOException {
    deleteAll(data.resolve("replicas"), ".*");
    DurableFiles.deleteTree(nodeLog(data));
  }

  private static Path records(Path data) {
    return data.resolve("replicas").resolve("records");
  }

  private static void replace(Path data, String what, String with) throws IOException {
    Path identity = data.resolve("identity");
    String text = Files.readString(identity);
    assertThat(text).contains(what);
    Files.writeString(identity, text.replace(what, with));
  }

  private static List<Damage> ofTheLog() {
    return List.of(
        lost("oldest log file empty", data -> Files.write(oldestLog(data), new byte[0])),
        lost("newest log file missing", data -> Files.delete(newestLog(data))),
        lost("log file cut", data -> cut(fullestLog(data))),
        lost("a hole among its records", data -> overwrite(fullestLog(data), 0)),
        lost("changed bytes in it", data -> overwrite(fullestLog(data), 0x55)));
  }

  private List<Damage> ofTheLogOfAllRegions() {
    return List.of(
        refused("log missing", data -> DurableFiles.deleteTree(nodeLog(data))),
        refused("newest log file unreadable", data -> makeUnreadable(newestLog(data))),
        refused("end of the log changed", data -> flip(endOfLog(data))),
        refused("end of the log missing", data -> Files.delete(endOfLog(data))),
        refused("end of the log unreadable", data -> makeUnreadable(endOfLog(data))),
        refused("identities changed", data -> flip(identities(data))),
        refused("identities missing", data -> Files.delete(identities(data))));
  }

  private static Path endOfLog(Path data) {
    return data.resolve("consensus").resolve("durable-end");
  }

  /** The disks of the other nodes. */
  private Path identities(Path data) {
    return data.resolve("consensus").resolve(isRaft() ? "transport" : ".").resolve("identities");
  }

  private static List<Damage> ofStorage() {
    return List.of(
        harmless("storage/ missing", data -> delete(data, "storage")),
        refused("CURRENT missing", data -> Files.delete(rows(data).resolve("CURRENT"))),
        refused("CURRENT changed", data -> flip(rows(data).resolve("CURRENT"))),
        refused(
            "CURRENT of zeros", data -> Files.write(rows(data).resolve("CURRENT"), new byte[16])),
        refused("MANIFEST missing", data -> deleteAll(rows(data), "MANIFEST-.*")),
        refused("MANIFEST changed", data -> flip(largest(rows(data), "MANIFEST-.*"))),
        refused("tables missing", data -> deleteAll(rows(data), ".*\\.sst")),
        harmless("a table changed", data -> flip(largest(rows(data), ".*\\.sst"), 100)),
        refused("end of a table changed", data -> flipEnd(largest(rows(data), ".*\\.sst"))));
  }

  private static void flipEnd(Path file) throws IOException {
    flip(file, (int) Files.size(file) - 5);
  }

  private static Path rows(Path data) {
    return data.resolve("storage").resolve("db");
  }

  private static List<Damage> ofBodies() {
    return List.of(
        restored("newest segment of bodies missing", data -> Files.delete(newestBodies(data))),
        restored("newest segment of bodies cut", data -> cut(newestBodies(data))),
        harmless("first header in it changed", data -> flip(newestBodies(data), 30)),
        restored("content in it changed", data -> flip(newestBodies(data))),
        restored("bodies/ missing", data -> delete(data, "storage/bodies")));
  }

  private static Path newestBodies(Path data) throws IOException {
    return largest(data.resolve("storage").resolve("bodies"), ".*\\.bodies");
  }

  private static Damage refused(String kind, Change change) {
    return new Damage(kind, Outcome.REFUSED, change);
  }

  private static Damage lost(String kind, Change change) {
    return new Damage(kind, Outcome.LOST, change);
  }

  private static Damage restored(String kind, Change change) {
    return new Damage(kind, Outcome.RESTORED, change);
  }

  private static Damage harmless(String kind, Change change) {
    return new Damage(kind, Outcome.HARMLESS, change);
  }

  private int writes() {
    return isCoded() ? LARGE_WRITES : WRITES;
  }

  private String value(int write) {
    return "v".repeat(isCoded() ? LARGE : 200) + write;
  }

  @Test
  @Tag("slow")
  void noDamageOfOneNodeLosesAnAcknowledgedWrite() throws IOException {
    start(
        3,
        "cluster.regions = 1"
            + (isCoded() ? "" : "\nraft.segment-size = 64KiB\nrabia.segment-size = 64KiB"));
    try (QuorateClient client = client()) {
      client.put("before", "all three");
      nodes.get(1).close();
      for (int i = 0; i < writes(); i++) {
        client.put("k" + i, value(i));
      }
    }
    stop();
    Path former = data(0).resolveSibling("undamaged");
    for (int i = 0; i < 3; i++) {
      DamagedFiles.copy(data(i), former.resolve("n" + i));
    }
    for (Damage damage : damages()) {
      for (int i = 0; i < 3; i++) {
        DurableFiles.deleteTree(data(i));
        DamagedFiles.copy(former.resolve("n" + i), data(i));
      }
      damage.change().apply(data(2));
      assertThat(outcome(damage)).as(damage.kind()).isEqualTo(damage.outcome());
      stop();
    }
  }

  private Outcome outcome(Damage damage) {
    Optional<QuorateNode> damaged = startDamaged(damage);
    nodes.add(start(1));
    Outcome outcome = damaged.isEmpty() ? Outcome.REFUSED : outcomeOfStarted(damage);
    nodes.add(start(0));
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> assertThat(readsEverything(damage, TIMEOUT)).as(damage.kind()).isTrue());
    return outcome;
  }

  private Optional<QuorateNode> startDamaged(Damage damage) {
    try {
      QuorateNode node = start(2);
      nodes.add(node);
      return Optional.of(node);
    } catch (RuntimeException e) {
      assertThat(e).as(damage.kind()).hasStackTraceContaining(data(2).toString());
      return Optional.empty();
    }
  }

  /** Waits until the node reports a loss, or all writes are read; otherwise some are not there. */
  private Outcome outcomeOfStarted(Damage damage) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (hasLostItsReplica()) {
        assertThat(readsEverything(damage, ATTEMPT)).as(damage.kind()).isFalse();
        return Outcome.LOST;
      }
      if (readsEverything(damage, ATTEMPT)) {
        return Outcome.HARMLESS;
      }
    }
    return isCoded() ? Outcome.RESTORED : Outcome.SHUT_OUT;
  }

  private boolean hasLostItsReplica() {
    ClientOptions options = ClientOptions.builder(cluster.seeds()).deadline(ATTEMPT).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      return client.status().nodes().stream()
          .flatMap(report -> report.state().stream())
          .anyMatch(state -> state.lostReplicas().containsKey(new GroupId(1)));
    } catch (QuorateException e) {
      return false;
    }
  }

  /**
   * Whether all acknowledged writes are read; false if no majority serves. A read that returns
   * anything else fails the test.
   */
  private boolean readsEverything(Damage damage, Duration patience) {
    ClientOptions options = ClientOptions.builder(cluster.seeds()).deadline(patience).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      for (int i = 0; i < writes(); i++) {
        assertThat(client.get("k" + i)).as("%s: k%d", damage.kind(), i).contains(value(i));
      }
      return true;
    } catch (QuorateException e) {
      return false;
    }
  }
}
