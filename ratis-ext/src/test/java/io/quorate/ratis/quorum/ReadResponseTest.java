package io.quorate.ratis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ReadResponseTest {
  private static final ByteBuffer BODY = ByteBuffer.wrap(new byte[] {1, 2, 3}).asReadOnlyBuffer();

  @Test
  void aResponseHasABodyOrAReason() throws IOException {
    ReadResponse granted = ReadResponse.decode(ReadResponse.granted(7, BODY));
    assertThat(granted.load()).isEqualTo(7);
    assertThat(granted.body()).contains(BODY);
    ReadResponse refused = ReadResponse.decode(ReadResponse.refused(8, "not now"));
    assertThat(refused.load()).isEqualTo(8);
    assertThat(refused.body()).isEmpty();
    assertThat(refused.reason()).isEqualTo("not now");
  }

  @Test
  void aResponseThatEndsEarlyIsNoResponse() {
    ByteBuffer cut = ReadResponse.granted(7, BODY).limit(4);
    assertThatThrownBy(() -> ReadResponse.decode(cut)).isInstanceOf(IOException.class);
  }
}
