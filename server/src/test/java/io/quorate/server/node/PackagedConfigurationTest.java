package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.common.LoopbackPorts;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.ServerConfigParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster that is installed as docs/operations.md says: from the packaged configuration and the
 * lines of the document, on three addresses of this machine instead of three machines.
 */
class PackagedConfigurationTest {
  private static final Path HOME = Path.of("..");
  private static final int NODES = 3;
  private static final Pattern LINES =
      Pattern.compile("\n## Installing\n.*?\n```hocon\n(.*?)```\n", Pattern.DOTALL);

  @TempDir private Path directory;

  private final int clientPort = LoopbackPorts.next();
  private final int consensusPort = LoopbackPorts.next();

  /** They listen on one address, as on each machine. */
  private final List<Integer> adminPorts =
      Stream.generate(LoopbackPorts::next).limit(NODES).toList();

  @Test
  void aClusterThatIsInstalledAsDocumentedServes() throws IOException {
    List<QuorateNode> nodes = new ArrayList<>();
    try {
      for (int node = 1; node <= NODES; node++) {
        nodes.add(start(install(node)));
      }
      nodes.forEach(ClusterFixture::awaitServing);
      for (int node = 1; node <= NODES; node++) {
        try (QuorateClient client =
            QuorateClient.connect(
                ClientOptions.builder(host(node) + ":" + clientPort)
                    .deadline(Duration.ofMinutes(1))
                    .certificates(directory.resolve("certs/n1"))
                    .build())) {
          client.put("k" + node, "v");
          assertThat(client.get("k" + node)).contains("v");
          assertThat(client.status().nodes()).hasSize(NODES).allMatch(report -> report.isUp());
        }
      }
    } finally {
      nodes.forEach(QuorateNode::close);
    }
  }

  /** The packaged file with the documented lines after it, as on one of the machines. */
  private ServerConfig install(int node) throws IOException {
    String packaged = Files.readString(HOME.resolve("server/src/main/assembly/conf/quorate.conf"));
    String lines = documentedLines();
    for (int each = 1; each <= NODES; each++) {
      lines = replaced(lines, "10.0.0." + each, host(each));
    }
    lines = replaced(lines, "client-port = 7001", "client-port = " + clientPort);
    lines = replaced(lines, "consensus-port = 7101", "consensus-port = " + consensusPort);
    for (int port : adminPorts) {
      assertThat(lines).contains("admin-port = 7201");
      lines = lines.replaceFirst("admin-port = 7201", "admin-port = " + port);
    }
    lines = replaced(lines, "node { id = n1", "node { id = n" + node);
    lines = replaced(lines, "bind = \"" + host(1), "bind = \"" + host(node));
    lines = replaced(lines, "/var/lib/quorate/data", directory.resolve("n" + node).toString());
    Path certificates = directory.resolve("certs/n" + node);
    Authority.in(directory.resolve("authority"))
        .sign(new CertificateName(Kind.NODE, "n" + node), Set.of(host(node)), certificates);
    lines = replaced(lines, "/etc/quorate/certs", certificates.toString());
    Path file = directory.resolve("quorate-" + node + ".conf");
    Files.writeString(file, packaged + lines);
    // The disk of the machine that tests run on may be nearly full.
    return new ServerConfigParser(Engines.available().keySet())
        .parseFile(file, Map.of("storage.free-space-min", "0B"));
  }

  private static String documentedLines() throws IOException {
    Matcher found = LINES.matcher(Files.readString(HOME.resolve("docs/operations.md")));
    assertThat(found.find()).isTrue();
    return found.group(1);
  }

  private static String replaced(String text, String documented, String here) {
    assertThat(text).contains(documented);
    return text.replace(documented, here);
  }

  private static String host(int node) {
    return "127.0.0." + (node + 1);
  }

  private static QuorateNode start(ServerConfig config) {
    ConsensusEngineProvider engine = Engines.available().get(config.mode().engine());
    return QuorateNode.start(
        config,
        engine,
        failure -> {
          throw failure;
        });
  }
}
