package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.DeniedException;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.cluster.AccessAdministration;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.common.Failures;
import io.quorate.common.HostPort;
import io.quorate.model.Key;
import io.quorate.model.Role;
import io.quorate.model.Role.Administration;
import io.quorate.model.Role.DataRight;
import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.protocol.tls.Tls;
import io.quorate.server.Main;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.net.ssl.HttpsURLConnection;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
            directory,
            new Shape(3, 1, preset).withSecurity(true),
            UnaryOperator.identity(),
            node -> launch)) {
      cluster = started;
      cluster.start();
      cluster.awaitServing(Duration.ofMinutes(2));
      Path own = cluster.plan().certificates().orElseThrow();
      try (QuorateClient client = QuorateClient.connect(options(Optional.of(own)))) {
        client.put("k", "v");
        assertThat(client.get("k").orElseThrow()).isEqualTo("v");
      }
      assertThatNobodyElseIsServed();
      assertThatRolesSayWhatUsersMayDo(own);
      assertThatOnlyHealthIsForAnyone(own);
      assertThatRequestsOfOperatorsAreAudited();
      NodePlan node = cluster.plan().nodes().get(0);
      assertThat(
              Main.commandLine(Terminal.standard())
                  .execute("health", "--config", node.configFile().toString()))
          .isZero();
      assertThatAnEmptiedNodeIsAccepted(own);
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
        .hasMessageContaining("only clients that use TLS");
    Path stranger = directory.resolve("stranger");
    Authority.in(stranger)
        .sign(new CertificateName(Kind.USER, "dev"), Set.of(), stranger.resolve("dev"));
    ClientOptions strange = options(Optional.of(stranger.resolve("dev")));
    assertThatThrownBy(() -> QuorateClient.connect(strange).close())
        .isInstanceOf(QuorateException.class)
        .hasMessageContaining("TLS");
  }

  /** A user who logs in, has a role, loses it, and is removed, on one connection. */
  private void assertThatRolesSayWhatUsersMayDo(Path own) throws IOException {
    ClientOptions asAl = options(Optional.of(own)).toBuilder().login("al", "open sesame").build();
    assertThatThrownBy(() -> QuorateClient.connect(asAl).close())
        .isInstanceOf(DeniedException.class)
        .hasMessageContaining("no user al with this secret");
    try (QuorateClient admin = QuorateClient.connect(options(Optional.of(own)))) {
      AccessAdministration access = admin.async().access();
      Role role =
          new Role(
              "app",
              List.of(
                  new Role.Grant(
                      Key.utf8("app/"), Set.of(DataRight.READ, DataRight.WRITE, DataRight.SCAN))),
              Set.of());
      access.setRole(role).join();
      access.setRole(new Role("watch", List.of(), Set.of(Administration.STATUS))).join();
      access.setUser("al", Set.of("app"), "open sesame").join();
      assertThat(access.list().join().roles()).contains(role);
      admin.put("secret", "v");
      assertThat(code(own, "/metrics", "al:open sesame")).isEqualTo(403);
      access.setUser("watcher", Set.of("watch"), "pass").join();
      for (int i = 0; i < 2; i++) {
        assertThat(code(own, "/metrics", "watcher:pass")).isEqualTo(200);
        assertThat(code(own, "/metrics", "watcher:pas")).isEqualTo(401);
      }
      assertThat(code(own, "/health", "watcher:pas")).isEqualTo(200);
      try (QuorateClient al = QuorateClient.connect(asAl)) {
        al.put("app/k", "v");
        assertThat(al.get("app/k")).contains("v");
        assertThat(al.scanPrefix("app/").iterator().next().keyText()).isEqualTo("app/k");
        assertDenied(() -> al.get("secret"));
        assertDenied(() -> al.put("secret", "w"));
        assertDenied(() -> al.scanPrefix("").iterator().next());
        assertDenied(() -> al.status());
        assertDenied(() -> al.async().access().list().join());
        access.setUser("al", Set.of("app"), "another").join();
        assertDenied(() -> al.get("app/k"));
      }
      access.setUser("al", Set.of("app"), "open sesame").join();
      try (QuorateClient al = QuorateClient.connect(asAl)) {
        assertThat(al.get("app/k")).contains("v");
        access.removeUser("al").join();
        assertDenied(() -> al.get("app/k"));
      }
    }
    assertThatThrownBy(() -> QuorateClient.connect(asAl).close())
        .isInstanceOf(DeniedException.class);
  }

  /** The node knows no users then, and is asked by one which disk it has. */
  private void assertThatAnEmptiedNodeIsAccepted(Path own) throws Exception {
    NodeProcess node = cluster.nodes().get(2);
    assertThat(node.stop(Duration.ofSeconds(60))).isTrue();
    FileTree.delete(node.plan().dataDirectory());
    node.start();
    try (QuorateClient client = QuorateClient.connect(options(Optional.of(own)))) {
      NodeAddress address = new NodeAddress(ClusterPlan.HOST, node.plan().clientPort());
      await()
          .atMost(Duration.ofMinutes(1))
          .ignoreExceptions()
          .until(() -> client.async().nodes().replace(address).join() != null);
    }
  }

  private void assertThatRequestsOfOperatorsAreAudited() throws IOException {
    StringBuilder logs = new StringBuilder();
    for (NodePlan node : cluster.plan().nodes()) {
      logs.append(Files.readString(node.logFile()));
    }
    assertThat(logs)
        .contains("Connections are encrypted tls=\"" + Tls.Provider.available() + "\"")
        .contains(
            "{\"who\": \"user dev\", \"from\": \"127.0.0.1\","
                + " \"what\": \"change access: set user al with roles app\", \"outcome\": \"ok\"}")
        .contains(
            "\"who\": \"user al\", \"from\": \"127.0.0.1\", \"what\": \"get\", \"outcome\": \"denied\"")
        .doesNotContain("sesame")
        .doesNotContain("app/k");
  }

  private static void assertDenied(ThrowingCallable call) {
    assertThatThrownBy(call)
        .satisfies(
            failure ->
                assertThat(Failures.unwrap(failure))
                    .isInstanceOf(DeniedException.class)
                    .hasMessageContaining("Access is denied: user al"));
  }

  private void assertThatOnlyHealthIsForAnyone(Path certificates) throws IOException {
    assertThat(code(certificates, "/health")).isEqualTo(200);
    assertThat(code(certificates, "/ready")).isEqualTo(200);
    for (String path : List.of("/", "/metrics", "/api/cluster", "/health/../metrics")) {
      assertThat(code(certificates, path)).as(path).isEqualTo(401);
    }
  }

  /** Trusts the authority, and presents nothing. */
  private int code(Path certificates, String path) throws IOException {
    return code(certificates, path, "");
  }

  /** With a name and a secret, unless they are empty. */
  private int code(Path certificates, String path, String login) throws IOException {
    int port = cluster.plan().nodes().get(0).adminPort();
    URI address = URI.create("https://" + HostPort.text("localhost", port) + path);
    HttpsURLConnection connection = (HttpsURLConnection) address.toURL().openConnection();
    connection.setSSLSocketFactory(Tls.load(certificates).trusting().getSocketFactory());
    if (!login.isEmpty()) {
      byte[] utf8 = login.getBytes(StandardCharsets.UTF_8);
      connection.setRequestProperty(
          "Authorization", "Basic " + Base64.getEncoder().encodeToString(utf8));
    }
    try {
      return connection.getResponseCode();
    } finally {
      connection.disconnect();
    }
  }
}
