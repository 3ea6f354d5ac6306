package io.quorate.protocol.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.protocol.tls.CertificateName.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
  private static final CertificateName N1 = new CertificateName(Kind.NODE, "n1");
  private static final CertificateName ALICE = new CertificateName(Kind.USER, "alice");

  @TempDir private static Path directory;
  private static Path signed;

  @TempDir private Path own;

  @BeforeAll
  static void sign() throws IOException {
    signed = directory.resolve("n1");
    Authority.in(directory).sign(N1, Set.of("127.0.0.1", "::1", "node.example"), signed);
    Authority.in(directory).sign(ALICE, Set.of(), directory.resolve("alice"));
  }

  @BeforeEach
  void copy() throws IOException {
    copy(signed, Tls.AUTHORITIES, Tls.CERTIFICATE, Tls.KEY);
  }

  private void copy(Path from, String... names) throws IOException {
    for (String name : names) {
      Files.copy(from.resolve(name), own.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Test
  void aCertificateSaysWhoItsOwnerIs() throws IOException {
    Tls tls = Tls.load(own);
    assertThat(tls.name()).isEqualTo(N1);
    assertThat(tls.expires()).isAfter(Instant.now().plus(Duration.ofDays(365)));
    assertThat(N1.uri()).isEqualTo("quorate:node:n1");
    assertThat(N1).hasToString("node n1");
    assertThatThrownBy(() -> new CertificateName(Kind.USER, "a b")).hasMessageContaining("a b");
  }

  @Test
  void keysAreReadByTheirOwnerAlone() throws IOException {
    for (Path key : Set.of(directory.resolve(Authority.KEY), signed.resolve(Tls.KEY))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
          .isEqualTo("rw-------");
    }
  }

  @Test
  void anAuthoritySignsAgain() throws IOException {
    Path alice = directory.resolve("alice");
    assertThat(Tls.load(alice).name()).isEqualTo(ALICE);
    assertThat(Files.readAllBytes(alice.resolve(Tls.AUTHORITIES)))
        .isEqualTo(Files.readAllBytes(directory.resolve(Tls.AUTHORITIES)));
  }

  @Test
  void changedFilesAreUsedFromTheNextConnectionOn() throws IOException {
    Tls tls = Tls.load(own);
    assertThat(tls.reload()).isFalse();
    copy(directory.resolve("alice"), Tls.CERTIFICATE, Tls.KEY);
    assertThat(tls.reload()).isTrue();
    assertThat(tls.name()).isEqualTo(ALICE);
  }

  /** Such as one of two files that are replaced one after the other. */
  @Test
  void theFormerFilesStayWhileOthersCannotBeUsed() throws IOException {
    Tls tls = Tls.load(own);
    copy(directory.resolve("alice"), Tls.CERTIFICATE);
    assertThatThrownBy(tls::reload)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the key is not that of the certificate");
    assertThat(tls.name()).isEqualTo(N1);
  }

  @Test
  void whatCannotBeUsedIsNamed() throws IOException {
    Path empty = Files.createDirectory(own.resolve("empty"));
    assertThatThrownBy(() -> Tls.load(empty)).hasMessageContaining(Tls.AUTHORITIES);
    Files.writeString(own.resolve(Tls.KEY), "no key");
    assertThatThrownBy(() -> Tls.load(own)).hasMessageContaining("tls.key has no EC key in PKCS 8");
    assertThatThrownBy(() -> Tls.load(own))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(own.toString());
  }

  @Test
  void theFileWithoutACertificateIsNamed() throws IOException {
    for (String name : new String[] {Tls.AUTHORITIES, Tls.CERTIFICATE}) {
      copy(signed, Tls.AUTHORITIES, Tls.CERTIFICATE);
      for (String content : new String[] {"", "no certificate"}) {
        Files.writeString(own.resolve(name), content);
        assertThatThrownBy(() -> Tls.load(own))
            .isInstanceOf(IOException.class)
            .hasMessageContaining(name + " has no certificate as PEM");
      }
    }
  }

  @Test
  void reasonsSayWhatIsWrongWithACertificate() {
    assertThat(NodeGate.reason(new SSLException("x", new CertificateExpiredException("y"))))
        .isEqualTo("its certificate has expired");
    assertThat(NodeGate.reason(new SSLException("x", new CertPathValidatorException("y"))))
        .isEqualTo("its certificate is of no authority in ca.crt");
    assertThat(NodeGate.reason(new SSLException("x"))).isEqualTo("x");
  }
}
