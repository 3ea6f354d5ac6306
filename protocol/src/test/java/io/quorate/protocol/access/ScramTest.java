package io.quorate.protocol.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.quorate.common.DecodeException;
import io.quorate.protocol.access.ScramClient.SecretKeys;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScramTest {
  private static final ScramSecret SECRET = ScramSecret.of("pencil");

  /** RFC 7677, section 3. */
  @Test
  void theExampleOfTheStandardHolds() {
    String serverNonce = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
    ScramHash.Keys keys = ScramHash.keys("pencil", salt, 4096);
    ScramSecret stored =
        new ScramSecret(
            ByteString.copyFrom(salt),
            4096,
            ByteString.copyFrom(ScramHash.hash(keys.client())),
            ByteString.copyFrom(keys.server()));
    ScramClient client = new ScramClient("user", new SecretKeys("pencil"), "rOprNGfwEbeRWgbNEkqO");

    ScramServer server = ScramServer.begin(client.first(), user -> stored, serverNonce);
    assertThat(server.first())
        .isEqualTo(
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
    String proof = client.last(server.first());
    assertThat(proof)
        .isEqualTo(
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
    assertThat(server.finish(proof)).contains("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    assertThat(client.isProved("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")).isTrue();
  }

  @Test
  void anotherSecretIsRefused() {
    ScramClient client = ScramClient.begin("al", new SecretKeys("pen"));
    ScramServer server = ScramServer.begin(client.first(), user -> SECRET, "server");
    assertThat(server.finish(client.last(server.first()))).isEmpty();
  }

  @Test
  void aProofOfAnotherExchangeIsRefused() {
    SecretKeys keys = new SecretKeys("pencil");
    ScramClient first = ScramClient.begin("al", keys);
    String proof = first.last(ScramServer.begin(first.first(), user -> SECRET, "server").first());
    ScramServer other = ScramServer.begin(first.first(), user -> SECRET, "another");
    assertThat(other.finish(proof)).isEmpty();
  }

  @Test
  void aServerThatDoesNotKnowTheUserProvesNothing() {
    ScramClient client = ScramClient.begin("al", new SecretKeys("pencil"));
    ScramServer server = ScramServer.begin(client.first(), user -> SECRET, "server");
    client.last(server.first());
    assertThat(client.isProved("v=" + Base64.getEncoder().encodeToString(new byte[32]))).isFalse();
  }

  @Test
  void nobodyLooksLikeSomebody() {
    ByteString decoy = ByteString.copyFromUtf8("random");
    ScramSecret nobody = ScramSecret.ofNobody("al", decoy);
    assertThat(nobody).isEqualTo(ScramSecret.ofNobody("al", decoy));
    assertThat(nobody.salt()).hasSameSizeAs(SECRET.salt());
    assertThat(nobody.iterations()).isEqualTo(SECRET.iterations());
    assertThat(nobody.salt()).isNotEqualTo(ScramSecret.ofNobody("bo", decoy).salt());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "n,,", "n,,n=al", "y,,n=al,r=1", "n,,r=1,n=al", "n,,n=a b,r=1", "n,,n=,r=1"})
  void aMalformedBeginningIsRefused(String message) {
    assertThatThrownBy(() -> ScramServer.begin(message, user -> SECRET, "server"))
        .isInstanceOf(DecodeException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "c=biws,r=x", "c=biws,r=x,p=?", "c=biws,r=x,p=AAAA"})
  void aMalformedEndIsRefused(String message) {
    ScramServer server = ScramServer.begin("n,,n=al,r=1", user -> SECRET, "server");
    assertThatThrownBy(() -> server.finish(message)).isInstanceOf(DecodeException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "r=1,s=AAAA,i=4096", "r=12,s=?,i=4096", "r=12,s=AAAA,i=1", "r=12,s=AAAA,i=x"})
  void aMalformedResponseIsRefused(String message) {
    ScramClient client = new ScramClient("al", new SecretKeys("pencil"), "1");
    assertThatThrownBy(() -> client.last(message)).isInstanceOf(DecodeException.class);
  }
}
