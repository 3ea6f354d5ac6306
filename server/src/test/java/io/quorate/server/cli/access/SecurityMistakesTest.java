package io.quorate.server.cli.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.server.cli.CliRun;
import io.quorate.server.node.Engines;
import io.quorate.server.node.QuorateNode;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes with users, roles, secrets and certificates: one sentence, and an exit code. */
class SecurityMistakesTest {
  private static final int NOT_MET = 1;
  private static final int USAGE = 2;
  private static final int REFUSED = 5;

  @TempDir private static Path directory;
  private static QuorateNode node;
  private static String at;
  private static Path admin;

  @BeforeAll
  static void start() throws IOException {
    admin = signed("certs", Kind.USER, "alice");
    Path own = signed("certs", Kind.NODE, "n1");
    TestCluster cluster = new TestCluster(directory.resolve("data"), 1, "preset = raft");
    at = cluster.seeds();
    node =
        QuorateNode.start(
            cluster.config(0, 1, "security.certificates = \"" + own + "\""),
            Engines.available().get("raft"),
            failure -> {
              throw failure;
            });
    node.serving().toCompletableFuture().join();
    assertThat(run(own, "init-security", "alice").exitCode()).isZero();
    Path secret = Files.writeString(directory.resolve("secret"), "open sesame\nsecond line\n");
    assertThat(run(admin, "role", "set", "app", "--allow", "all=app/").exitCode()).isZero();
    String file = secret.toString();
    assertThat(
            run(admin, "user", "set", "al", "--role", "app", "--new-secret-file", file).exitCode())
        .isZero();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private static Path signed(String authority, Kind kind, String name) throws IOException {
    Path certificates = directory.resolve(authority);
    Path target = certificates.resolve(name);
    Authority.in(certificates).sign(new CertificateName(kind, name), Set.of("localhost"), target);
    return target;
  }

  private static CliRun run(Path certificates, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--at", at, "--certs", certificates.toString()));
    return CliRun.of(all.toArray(String[]::new));
  }

  private static void assertRefused(CliRun run, int code, String sentence) {
    assertThat(run.err()).contains(sentence).doesNotContain("\tat ", "Exception");
    assertThat(run.err().lines().filter(line -> !line.startsWith("See quorate "))).hasSize(1);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(code);
  }

  private static CliRun asAl(String secretFile, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--user", "al", "--secret-file", secretFile));
    return run(admin, all.toArray(String[]::new));
  }

  @Test
  void whoMayNotIsRefused() throws IOException {
    String secret = directory.resolve("secret").toString();
    String wrong = Files.writeString(directory.resolve("wrong"), "sesame\n").toString();
    assertRefused(asAl(secret, "get", "app/k"), NOT_MET, "There is no key");
    assertRefused(asAl(secret, "get", "other"), REFUSED, "user al may not read \"other\"");
    assertRefused(asAl(secret, "user"), REFUSED, "user al may not");
    assertRefused(asAl(secret, "init-security", "al"), REFUSED, "Use the certificate of a node");
    assertRefused(asAl(wrong, "get", "app/k"), REFUSED, "no user al with this secret");
  }

  @Test
  void theExampleOfALoginRuns() {
    assertThat(LoginExample.greet(at, admin, "open sesame"))
        .contains("user al may not read \"payroll/greeting\"");
    assertThat(LoginExample.greet(at, admin, "sesame")).contains("no user al with this secret");
  }

  @Test
  void fileOfASecretWithoutOneIsNamed() throws IOException {
    Path empty = Files.createFile(directory.resolve("empty"));
    Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe});
    assertRefused(newSecret(empty), USAGE, "The first line of " + empty + " is empty");
    assertRefused(newSecret(binary), USAGE, "The secret in " + binary + " is not text");
    assertRefused(newSecret(directory), USAGE, "The secret in " + directory + " cannot be read: ");
    Path none = directory.resolve("none");
    assertRefused(newSecret(none), USAGE, none + " cannot be read: no such file");
  }

  private static CliRun newSecret(Path file) {
    return run(admin, "user", "set", "bob", "--new-secret-file", file.toString());
  }

  @Test
  void namesThatAreNotKnownAreNamed() {
    assertRefused(
        run(admin, "user", "set", "bob", "--role", "no"), REFUSED, "There is no role no;");
    assertRefused(run(admin, "user", "remove", "bob"), NOT_MET, "There is no user bob;");
    assertRefused(run(admin, "role", "remove", "no"), NOT_MET, "There is no role no;");
    assertRefused(run(admin, "role", "remove", "app"), REFUSED, "Role app is in use by al;");
    assertRefused(run(admin, "user", "set", "b b"), USAGE, "it was \"b b\"");
    assertRefused(run(admin, "init-security", "bob"), REFUSED, "users already, such as al;");
  }

  @Test
  void certificatesOfAnotherAuthorityAreNotTrusted() throws IOException {
    Path strange = signed("strange", Kind.USER, "alice");
    assertRefused(run(strange, "status"), USAGE, "its certificate is of no authority in ca.crt");
    Files.copy(
        admin.resolve("ca.crt"), strange.resolve("ca.crt"), StandardCopyOption.REPLACE_EXISTING);
    assertRefused(run(strange, "status"), USAGE, "refuses the certificate in tls.crt");
    assertRefused(run(directory.resolve("none"), "status"), USAGE, "ca.crt: no such file");
  }
}
