package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.protocol.tls.Tls;
import io.quorate.server.cli.terminal.Terminal;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertsCommandTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  private int run(String... options) {
    // As standard output, which is not flushed with each line.
    BufferedOutputStream buffer = new BufferedOutputStream(output);
    PrintStream out = new PrintStream(buffer, false, StandardCharsets.UTF_8);
    PrintStream err = new PrintStream(output, true, StandardCharsets.UTF_8);
    return Main.commandLine(new Terminal(InputStream.nullInputStream(), out, err, false))
        .execute(options);
  }

  /** As in docs/operations.md. */
  @Test
  void eachNodeAndUserHasADirectory() throws IOException {
    Path certs = directory.resolve("certs");
    assertThat(
            run("certs", certs.toString(), "--node", "n1=10.0.0.1", "--node", "n2", "--user", "al"))
        .isZero();
    assertThat(output.toString(StandardCharsets.UTF_8).lines())
        .containsExactly(
            "node n1: " + certs.resolve("nodes/n1"),
            "node n2: " + certs.resolve("nodes/n2"),
            "user al: " + certs.resolve("users/al"));
    assertThat(Tls.load(certs.resolve("nodes/n1")).name())
        .isEqualTo(new CertificateName(Kind.NODE, "n1"));
    assertThat(Tls.load(certs.resolve("users/al")).name())
        .isEqualTo(new CertificateName(Kind.USER, "al"));
  }

  @Test
  void aNameThatNoCertificateMayHaveIsRefused() {
    assertThat(run("certs", directory.toString(), "--user", "a b")).isEqualTo(2);
    assertThat(output.toString(StandardCharsets.UTF_8)).contains("\"a b\"").doesNotContain("\tat ");
  }

  @Test
  void aHostThatIsNoneIsRefused() {
    for (String host : new String[] {"", "a,", "bad host", "a_b"}) {
      output.reset();
      assertThat(run("certs", directory.toString(), "--node", "n1=" + host)).isEqualTo(2);
      assertThat(output.toString(StandardCharsets.UTF_8))
          .startsWith("A host of node n1 is a name or an address, not \"");
    }
  }
}
