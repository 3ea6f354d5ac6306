package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.common.HostPort;
import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.protocol.tls.Tls;
import io.quorate.server.Main;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.HttpsURLConnection;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes that encrypt all connections, and know by certificates who connects. */
@Timeout(300)
class SecureClusterTest {
  @TempDir private Path directory;
  private ProcessCluster cluster;

  @ParameterizedTest
  @ValueSource(strings = {"raft", "rabia"})
  void onlyWhoHasACertificateIsServed(String preset) throws Exception {
    Launch launch = Launch.SHARED_PROCESSORS;
    try (ProcessCluster started =
        ProcessCluster.temporary(
            directory, new Shape(3, 1, preset), ClusterPlan::secured, node -> launch)) {
      cluster = started;
      cluster.start();
      cluster.awaitServing(Duration.ofMinutes(2));
      Path own = cluster.plan().certificates().orElseThrow();
      try (QuorateClient client = QuorateClient.connect(options(Optional.of(own)))) {
        client.put("k", "v");
        assertThat(client.get("k").orElseThrow()).isEqualTo("v");
      }
      assertThatNobodyElseIsServed();
      assertThatOnlyHealthIsForAnyone(own);
      NodePlan node = cluster.plan().nodes().get(0);
      assertThat(
              Main.commandLine(Terminal.standard())
                  .execute("health", "--config", node.configFile().toString()))
          .isZero();
    }
  }

  private ClientOptions options(Optional<Path> certificates) {
    ClientOptions.Builder options =
        ClientOptions.builder(cluster.plan().clientAddresses()).deadline(Duration.ofSeconds(60));
    certificates.ifPresent(options::certificates);
    return options.build();
  }

  private void assertThatNobodyElseIsServed() throws IOException {
    assertThatThrownBy(() -> QuorateClient.connect(options(Optional.empty())).close())
        .isInstanceOf(QuorateException.class)
        .hasMessageContaining("only clients with a certificate");
    Path stranger = directory.resolve("stranger");
    Authority.in(stranger)
        .sign(new CertificateName(Kind.USER, "dev"), Set.of(), stranger.resolve("dev"));
    ClientOptions strange = options(Optional.of(stranger.resolve("dev")));
    assertThatThrownBy(() -> QuorateClient.connect(strange).close())
        .isInstanceOf(QuorateException.class)
        .hasMessageContaining("TLS");
  }

  private void assertThatOnlyHealthIsForAnyone(Path certificates) throws IOException {
    assertThat(code(certificates, "/health")).isEqualTo(200);
    assertThat(code(certificates, "/ready")).isEqualTo(200);
    for (String path : List.of("/", "/metrics", "/api/cluster", "/health/../metrics")) {
      assertThat(code(certificates, path)).as(path).isEqualTo(403);
    }
  }

  /** Trusts the authority, and presents nothing. */
  private int code(Path certificates, String path) throws IOException {
    int port = cluster.plan().nodes().get(0).adminPort();
    URI address = URI.create("https://" + HostPort.text("localhost", port) + path);
    HttpsURLConnection connection = (HttpsURLConnection) address.toURL().openConnection();
    connection.setSSLSocketFactory(Tls.load(certificates).trusting().getSocketFactory());
    try {
      return connection.getResponseCode();
    } finally {
      connection.disconnect();
    }
  }
}
