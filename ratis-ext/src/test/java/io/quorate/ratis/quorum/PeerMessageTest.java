package io.quorate.ratis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PeerMessageTest {
  private static final ByteBuffer BODY = ByteBuffer.wrap(new byte[] {1, 2, 3});

  @Test
  void aRequestIsDecodedUnchanged() throws IOException {
    ByteBuffer bytes = PeerMessage.request(PeerMessage.READ_REPLIES, BODY);
    assertThat(PeerMessage.isRequest(bytes)).isTrue();
    PeerMessage.Request request = PeerMessage.readRequest(bytes);
    assertThat(request.kind()).isEqualTo(PeerMessage.READ_REPLIES);
    assertThat(request.body()).isEqualTo(BODY);
  }

  @Test
  void aResponseIsDecodedUnchanged() throws IOException {
    PeerMessage.Response granted = PeerMessage.readResponse(PeerMessage.response(7, BODY));
    assertThat(granted.load()).isEqualTo(7);
    assertThat(granted.body()).contains(BODY);
    PeerMessage.Response refused = PeerMessage.readResponse(PeerMessage.refusal(7, "not now"));
    assertThat(refused.body()).isEmpty();
    assertThat(refused.reason()).isEqualTo("not now");
  }

  /** The snapshot fetcher sends other messages to the same port. */
  @Test
  void otherMessagesAreNotReadRequests() {
    assertThat(PeerMessage.isRequest(BODY)).isFalse();
    assertThat(PeerMessage.isRequest(ByteBuffer.allocate(64))).isFalse();
  }

  @Test
  void anUnsupportedVersionIsRejectedByNumber() {
    ByteBuffer request = PeerMessage.request(PeerMessage.READ_INDEX, BODY);
    request.put(Integer.BYTES, (byte) 9);
    assertThatThrownBy(() -> PeerMessage.readRequest(request))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 9");
  }

  @Test
  void aTruncatedMessageIsRejected() {
    ByteBuffer request = PeerMessage.request(PeerMessage.READ_INDEX, BODY).limit(5);
    assertThatThrownBy(() -> PeerMessage.readRequest(request)).isInstanceOf(IOException.class);
    ByteBuffer response = PeerMessage.response(7, BODY).limit(4);
    assertThatThrownBy(() -> PeerMessage.readResponse(response)).isInstanceOf(IOException.class);
  }
}
