package io.quorate.server.access;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.node.Engines;
import io.quorate.server.node.QuorateNode;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class InsecureStartTest {
  @Test
  void aNodeOfAClusterWithUsersDoesNotStartWithoutCertificates(@TempDir Path directory)
      throws IOException {
    Path certificates = directory.resolve("n1");
    Authority.in(directory.resolve("certs"))
        .sign(new CertificateName(Kind.NODE, "n1"), Set.of("localhost"), certificates);
    TestCluster cluster = new TestCluster(directory.resolve("data"), 1, "preset = raft");
    String secure = "security.certificates = \"" + certificates + "\"";
    try (QuorateNode node = start(cluster.config(0, 1, secure))) {
      node.serving().toCompletableFuture().join();
      ClientOptions options =
          ClientOptions.builder(cluster.seeds()).certificates(certificates).build();
      try (QuorateClient client = QuorateClient.connect(options)) {
        client.async().access().setUser("al", Set.of()).join();
      }
    }
    assertThatThrownBy(() -> start(cluster.config(0, 1, "security = off")).close())
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("has users and roles");
  }

  private static QuorateNode start(ServerConfig config) {
    return QuorateNode.start(
        config,
        Engines.available().get(config.mode().engine()),
        failure -> {
          throw failure;
        });
  }
}
