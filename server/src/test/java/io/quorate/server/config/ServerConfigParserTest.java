package io.quorate.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Capabilities;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.GroupControl;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.quorum.QuorumReads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerConfigParserTest {
  private static final String NODE =
      "{ id = n1, host = h1, client-port = 1, consensus-port = 2, admin-port = 3 }";

  private final ServerConfigParser parser =
      new ServerConfigParser(Set.of("raft", "rabia", "other"));

  @TempDir private Path directory;

  private static String with(String settings) {
    return """
        quorate {
          cluster { id = c1, nodes = [ %s ] }
          node { id = n1, data = "/data" }
          %s
        }
        """
        .formatted(NODE, settings);
  }

  @Test
  void theMinimalConfigurationHasDefaults() {
    ServerConfig config = parser.parseText(with(""));

    assertThat(config.presetName()).isEqualTo("raft");
    assertThat(config.mode()).isEqualTo(Preset.named("raft").orElseThrow().mode());
    assertThat(config.cluster().replicas()).as("capped at the number of nodes").isEqualTo(1);
    assertThat(config.cluster().regions()).isEqualTo(1);
    assertThat(config.node().bind()).isEqualTo("0.0.0.0");
    assertThat(config.self().clientPort()).isEqualTo(1);
    assertThat(config.storage().sessionExpiry()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void aSettingOverridesItsPreset() {
    ServerConfig config = parser.parseText(with("preset = raft, reads = lease"));

    assertThat(config.mode().reads()).isEqualTo(ClusterMode.Reads.LEASE);
    assertThat(config.mode().engine()).isEqualTo("raft");
  }

  @Test
  void splitKeysAreTextOrHexadecimal() {
    ServerConfig config = parser.parseText(with("cluster.split-keys = [ \"0x4100ff\", \"m\" ]"));

    assertThat(config.cluster().splitKeys())
        .containsExactly(Key.wrap(new byte[] {0x41, 0, (byte) 0xff}), Key.utf8("m"));
    assertThat(config.cluster().regions()).isEqualTo(3);
  }

  @Test
  void theMaximumFrameGrowsWithTheMaximumValue() {
    ServerConfig config = parser.parseText(with("limits.value = 64MiB"));

    assertThat(config.limits().frameBytes())
        .isGreaterThan(config.limits().operations().operationBytesMax());
    assertThat(config.rpc().perConnection().bytes())
        .isGreaterThanOrEqualTo(config.limits().frameBytes());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nonsense = 1                          | Unknown key quorate.nonsense
          rpc.threads-max = 1                  | Unknown key quorate.rpc.threads-max
          node.date = "/x"                      | Unknown key quorate.node.date
          preset = rabbit                       | Key quorate.preset must be one of [raft, cr, buc, craft, rs-raft, follower, quorum, quorum-retry, quorum-simple, mixed, adaptive, local, rabia, acqr]; it was "rabbit".
          engine = rabbit                       | Key quorate.engine is one of [other, rabia, raft]; it was "rabbit".
          reads = psychic                       | Key quorate.reads is one of [leader, lease, consensus, follower, quorum, quorum-retry, quorum-simple, local, mixed, adaptive]; it was "psychic".
          replication = half                    | Key quorate.replication is one of [full, coded]; it was "half".
          rpc.frame-timeout = 10               | Setting quorate.rpc.frame-timeout is a duration
          rpc.frame-timeout = 10 parsecs       | Setting quorate.rpc.frame-timeout is a duration
          rpc.frame-timeout = 2h               | Setting quorate.rpc.frame-timeout is a duration
          rpc.threads = 0                      | Setting quorate.rpc.threads is a whole number from 1 to 256
          rpc.threads = many                   | Setting quorate.rpc.threads is a whole number from 1 to 256
          rpc = 7                              | quorate.rpc is a section
          rpc.threads = [1]                    | Key quorate.rpc.threads is one value
          limits.value = 65MiB                  | Setting quorate.limits.value is a size
          limits.value = 4                      | Setting quorate.limits.value is a size
          limits.frame = 1MiB                   | Key quorate.limits.frame is at least
          rpc.connection-bytes = 1MiB          | Key quorate.rpc.connection-bytes is at least limits.frame
          rpc.node-bytes = 1MiB                | Key quorate.rpc.node-bytes is at least limits.frame
          storage.wal = perhaps                 | Key quorate.storage.wal is one of [off, on, synced]; it was "perhaps".
          storage.session-expiry = 9m           | Setting quorate.storage.session-expiry is a duration
          cluster.id = "a b"                    | Key quorate.cluster.id cannot be used
          cluster.replicas = 0                  | Setting quorate.cluster.replicas is a whole number
          cluster.nodes = []                    | Key quorate.cluster.nodes is missing
          cluster.nodes = 1                     | quorate.cluster.nodes is a list
          cluster.nodes = [ 1 ]                 | quorate.cluster.nodes is a list of sections
          cluster.nodes = [ { id = n1, host = "a b", client-port = 1, consensus-port = 2, admin-port = 3 } ] | Key quorate.cluster.nodes[].host cannot be used: A host is a name
          cluster.nodes = [ { id = n1, host = "::g", client-port = 1, consensus-port = 2, admin-port = 3 } ] | Key quorate.cluster.nodes[].host cannot be used: A host with colons is an IPv6 address
          cluster.nodes = [ { id = n1, host = "h:1", client-port = 1, consensus-port = 2, admin-port = 3 } ] | Key quorate.cluster.nodes[].host cannot be used: A host with colons is an IPv6 address
          cluster.nodes = [ { id = n1, host = "0.0.0.0", client-port = 1, consensus-port = 2, admin-port = 3 } ] | Key quorate.cluster.nodes[].host cannot be used: others connect to it
          node.bind = "10.0.0.300"              | Key quorate.node.bind cannot be used
          admin.bind = "http://localhost"       | Key quorate.admin.bind cannot be used
          cluster.regions = 4, cluster.split-keys = [ "m" ] | Key quorate.cluster.regions is one more than the keys in quorate.cluster.split-keys
          cluster.split-keys = [ "m", "a" ]     | Key quorate.cluster.split-keys lists keys in ascending order
          cluster.split-keys = [ "0x1" ]        | Key quorate.cluster.split-keys holds text, or 0x
          cluster.split-keys = [ "" ]           | Key quorate.cluster.split-keys holds keys of 1 to 8192 bytes
          node.id = n2                          | Key quorate.node.id is one of the nodes in cluster.nodes; it was n2.
          node.id = "no spaces"                 | Key quorate.node.id cannot be used
          """)
  void anInvalidSettingIsOneSentenceThatNamesTheKey(String setting, String message) {
    assertThatThrownBy(() -> parser.parseText(with(setting)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message)
        .message()
        .endsWith(".")
        .doesNotContain("\n");
  }

  @Test
  void missingKeysAreNamed() {
    assertThatThrownBy(
            () -> parser.parseText("quorate { cluster { nodes = [ %s ] } }".formatted(NODE)))
        .hasMessage("Key quorate.cluster.id is missing.");
    assertThatThrownBy(
            () -> parser.parseText("quorate { cluster { id = c, nodes = [ { id = n1 } ] } }"))
        .hasMessage("Key quorate.cluster.nodes[].host is missing.");
    assertThatThrownBy(
            () ->
                parser.parseText("quorate { cluster { id = c, nodes = [ %s ] } }".formatted(NODE)))
        .hasMessage("Key quorate.node.id is missing.");
    assertThatThrownBy(
            () ->
                parser.parseText(
                    "quorate { cluster { id = c, nodes = [ %s ] }, node { id = n1, dtaa = x } }"
                        .formatted(NODE)))
        .hasMessage("Key quorate.node.data is missing; did you mean it by quorate.node.dtaa?");
    assertThatThrownBy(() -> parser.parseText("other = 1"))
        .hasMessage("The configuration has no section quorate.");
    assertThatThrownBy(() -> parser.parseText(with("") + "\nother = 1"))
        .hasMessageContaining("Unknown key other");
  }

  @Test
  void nodesAndPortsAreUnique() {
    String twice = "cluster.nodes = [ %s, %s ]";
    String sameId = NODE.replace("h1", "h2");
    String samePort = NODE.replace("n1", "n2");

    assertThatThrownBy(() -> parser.parseText(with(twice.formatted(NODE, sameId))))
        .hasMessage("Key quorate.cluster.nodes[].id has n1 twice.");
    assertThatThrownBy(() -> parser.parseText(with(twice.formatted(NODE, samePort))))
        .hasMessage("Key quorate.cluster.nodes[] uses h1:1 twice.");
  }

  @Test
  void hostsMayBeIpv6AddressesOrHaveUnderscores() {
    ServerConfig config =
        parser.parseText(
            with(
                "node.bind = \"::\", cluster.nodes = [ %s, %s ]"
                    .formatted(
                        NODE.replace("h1", "\"[2001:db8::1]\""),
                        NODE.replace("h1", "project_db_1").replace("n1", "n2"))));

    assertThat(config.cluster().nodes())
        .extracting(ClusterNode::host)
        .containsExactly("2001:db8::1", "project_db_1");
    assertThat(config.node().bind()).isEqualTo("::");
    assertThat(config.self().member().address().isUnresolved()).isTrue();
  }

  @Test
  void overridesTakePrecedenceOverTheFile() throws IOException {
    Path file = directory.resolve("quorate.conf");
    Files.writeString(file, with("rpc.threads = 3"));

    ServerConfig config =
        parser.parseFile(
            file,
            Map.of(
                "rpc.threads", "5",
                "quorate.node.data", "/else where/$HOME",
                "cluster.split-keys", "[ a, b ]"));

    assertThat(config.rpc().threads()).isEqualTo(5);
    assertThat(config.node().data()).isEqualTo(Path.of("/else where/$HOME"));
    assertThat(config.cluster().regions()).isEqualTo(3);
    assertThatThrownBy(() -> parser.parseFile(file, Map.of("node.dada", "1")))
        .hasMessageContaining("Unknown key quorate.node.dada");
  }

  @Test
  void aFileThatCannotBeReadIsNamed() throws IOException {
    Path missing = directory.resolve("missing.conf");
    Path broken = directory.resolve("broken.conf");
    Files.writeString(broken, "quorate { node { id = ");

    assertThatThrownBy(() -> parser.parseFile(missing, Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessage("Configuration file " + missing + " cannot be read.");
    assertThatThrownBy(() -> parser.parseFile(broken, Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(broken.toString());
  }

  @Test
  void overridesOfAPresetAreReported() {
    assertThat(parser.parseText(with("preset = buc")).overridesOfPreset()).isEmpty();
    ServerConfig overridden = parser.parseText(with("preset = buc, reads = local"));
    assertThat(overridden.presetName()).isEqualTo("buc");
    assertThat(overridden.overridesOfPreset()).containsExactly("reads = local");
    ServerConfig custom = parser.parseText(with("reads = local"));
    assertThat(custom.presetName()).isEqualTo("custom");
    assertThat(custom.overridesOfPreset()).isEmpty();
    assertThatThrownBy(() -> parser.parseText(with("preset = acqr, engine = raft")))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "Key quorate.engine must be \"rabia\" with preset acqr, or be left out; it was \"raft\".");
  }

  @Test
  void aPresetMaySetKeysOfItsEngine() {
    EngineSettings preset = parser.parseText(with("preset = rs-raft")).engine();
    assertThat(preset.bool("coded.fallback", true)).isFalse();
    EngineSettings overridden =
        parser.parseText(with("preset = rs-raft, raft.coded.fallback = on")).engine();
    assertThat(overridden.bool("coded.fallback", false)).isTrue();
  }

  @Test
  void anEmptyDataDirectoryIsRejected() {
    assertThatThrownBy(() -> parser.parseText(with("") + "\nquorate.node.data = \"\""))
        .isInstanceOf(ConfigException.class)
        .hasMessage("Key quorate.node.data must name a directory; it was empty.");
  }

  @Test
  void theLogMayHaveADirectoryOfItsOwn() {
    assertThat(parser.parseText(with("")).node().log()).isEmpty();
    assertThat(parser.parseText(with("node.log = \"\"")).node().log()).isEmpty();
    assertThat(parser.parseText(with("node.log = \"/a/../log\"")).node().log())
        .contains(Path.of("/log"));
    Path data = parser.parseText(with("")).node().data();
    for (Path inside : List.of(data, data.resolve("log"), data.getParent())) {
      assertThatThrownBy(() -> parser.parseText(with("node.log = \"" + inside + "\"")))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("of which neither is in the other")
          .hasMessageContaining(inside.toString());
    }
  }

  @Test
  void theAdminServerBindsToLoopbackByDefault() {
    assertThat(parser.parseText(with("")).admin().bind()).isEqualTo("127.0.0.1");
    assertThat(parser.parseText(with("admin.bind = \"0.0.0.0\"")).admin().bind())
        .isEqualTo("0.0.0.0");
  }

  @Test
  void settingsThatTheEngineDoesNotOfferAreRejected() {
    Capabilities offered =
        new Capabilities(
            true,
            9,
            Set.of(Guarantee.Linearizable.class),
            Optional.empty(),
            5 << 20,
            Set.of(),
            Map.of());

    assertThatThrownBy(
            () -> EngineValidator.require(parser.parseText(with("reads = lease")), offered))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("reads = lease")
        .hasMessageContaining("engine raft");
    assertThatThrownBy(
            () -> EngineValidator.require(parser.parseText(with("reads = consensus")), offered))
        .hasMessage(
            "Key reads = consensus is for engines without a leader, and engine raft has one; use leader.");
    assertThatThrownBy(
            () -> EngineValidator.require(parser.parseText(with("reads = quorum")), offered))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("reads = quorum")
        .hasMessageContaining("engine raft");
    Capabilities small =
        new Capabilities(
            true,
            9,
            Set.of(Guarantee.Linearizable.class),
            Optional.empty(),
            1 << 20,
            Set.of(),
            Map.of());
    assertThatThrownBy(() -> EngineValidator.require(parser.parseText(with("")), small))
        .hasMessageContaining("limits.value")
        .hasMessageContaining("section raft");
  }

  private static String withThreeNodes(String settings) {
    String three =
        String.join(
            ", ",
            NODE,
            NODE.replaceAll("(?<letter>[nh])1", "${letter}2"),
            NODE.replaceAll("(?<letter>[nh])1", "${letter}3"));
    return with(settings).replace(NODE, three);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          reply = at-commit       | Key replication = coded needs reply = at-apply
          read-acceleration = on  | Key replication = coded needs read-acceleration = off
          reads = quorum          | Key replication = coded needs reads = leader or lease
          reads = follower        | Key replication = coded needs reads = leader or lease
          cluster.replicas = 2    | Key replication = coded needs cluster.replicas = 3, 5 or 7, and it is 2.
          """)
  void whatDoesNotWorkOnBodiesIsRejected(String setting, String message) {
    Capabilities offered =
        offering(Set.of(BodyReplication.class, QuorumReads.class, FollowerReads.class));
    ServerConfig coded = parser.parseText(withThreeNodes("preset = craft"));
    EngineValidator.require(coded, offered);
    ServerConfig config = parser.parseText(withThreeNodes("preset = craft, " + setting));
    assertThatThrownBy(() -> EngineValidator.require(config, offered))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(message);
    assertThatThrownBy(() -> EngineValidator.require(coded, offering(Set.of())))
        .hasMessage(
            "Key replication = coded needs an engine with bodies, and engine raft has none.");
  }

  /** A body is no command; a batch is. */
  @Test
  void largeValuesNeedNoLargeCommandsIfTheyAreCoded() {
    Capabilities offered = offering(Set.of(BodyReplication.class));
    String large = "limits.value = 64MiB";
    ServerConfig coded = parser.parseText(withThreeNodes("preset = craft, " + large));
    EngineValidator.require(coded, offered);
    assertThat(coded.limits().operations().batchBytes()).isEqualTo(4 << 20);
    for (String rejected : List.of(large, "preset = craft, limits.batch = 64MiB, " + large)) {
      assertThatThrownBy(
              () -> EngineValidator.require(parser.parseText(withThreeNodes(rejected)), offered))
          .isInstanceOf(ConfigException.class)
          .hasMessageStartingWith("Keys limits.value and limits.batch need commands of 671");
    }
  }

  private static Capabilities offering(Set<Class<? extends GroupControl>> controls) {
    return new Capabilities(
        true,
        9,
        Set.of(Guarantee.Linearizable.class),
        Optional.empty(),
        5 << 20,
        controls,
        Map.of());
  }

  @Test
  void moreReplicasThanTheEngineSupportsAreRejected() {
    ServerConfig config = parser.parseText(withThreeNodes(""));
    Capabilities few =
        new Capabilities(
            true,
            2,
            Set.of(Guarantee.Linearizable.class),
            Optional.empty(),
            5 << 20,
            Set.of(),
            Map.of());

    assertThatThrownBy(() -> EngineValidator.require(config, few))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "Key cluster.replicas requires 3 replicas of a region, and engine raft has at most 2;"
                + " lower it.");
  }

  @Test
  void theLeaderReadsAPercentageOrForEqualLoad() {
    assertThat(parser.parseText(with("")).leaderReads()).isEmpty();
    assertThat(parser.parseText(with("leader-reads-percent = equal-load")).leaderReads()).isEmpty();
    assertThat(parser.parseText(with("leader-reads-percent = 25")).leaderReads()).hasValue(0.25);
    assertThatThrownBy(() -> parser.parseText(with("leader-reads-percent = 101")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("leader-reads-percent");
  }

  @Test
  void aLeaderlessEngineReadsByConsensusOrByQuorum() {
    Capabilities leaderless =
        new Capabilities(
            false,
            7,
            Set.of(Guarantee.Linearizable.class),
            Optional.empty(),
            5 << 20,
            Set.of(QuorumReads.class),
            Map.of());

    EngineValidator.require(parser.parseText(with("preset = rabia")), leaderless);
    EngineValidator.require(parser.parseText(with("preset = acqr")), leaderless);
    for (String reads : List.of("mixed", "adaptive")) {
      ServerConfig config = parser.parseText(with("preset = rabia, reads = " + reads));
      assertThatThrownBy(() -> EngineValidator.require(config, leaderless))
          .hasMessage(
              "Key reads = " + reads + " needs a leader, and engine rabia has none; use quorum.");
    }
    for (String reads : List.of("leader", "lease")) {
      ServerConfig config = parser.parseText(with("preset = rabia, reads = " + reads));
      assertThatThrownBy(() -> EngineValidator.require(config, leaderless))
          .hasMessage(
              "Key reads = "
                  + reads
                  + " needs a leader, and engine rabia has none; use consensus or quorum.");
    }
  }
}
