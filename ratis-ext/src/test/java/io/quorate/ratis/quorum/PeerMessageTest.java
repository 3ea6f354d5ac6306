package io.quorate.ratis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PeerMessageTest {
  private static final ByteBuffer BODY = ByteBuffer.wrap(new byte[] {1, 2, 3});

  @Test
  void aQuestionComesBackAsItWas() throws IOException {
    ByteBuffer bytes = PeerMessage.question(PeerMessage.SHARES, BODY);
    assertThat(PeerMessage.isQuestion(bytes)).isTrue();
    PeerMessage.Question question = PeerMessage.readQuestion(bytes);
    assertThat(question.kind()).isEqualTo(PeerMessage.SHARES);
    assertThat(question.body()).isEqualTo(BODY);
  }

  @Test
  void anAnswerComesBackAsItWas() throws IOException {
    PeerMessage.Answer given = PeerMessage.readAnswer(PeerMessage.answer(7, BODY));
    assertThat(given.load()).isEqualTo(7);
    assertThat(given.given()).contains(BODY);
    PeerMessage.Answer refused = PeerMessage.readAnswer(PeerMessage.refusal(7, "not now"));
    assertThat(refused.given()).isEmpty();
    assertThat(refused.why()).isEqualTo("not now");
  }

  /** What fetches snapshots says other things. */
  @Test
  void otherMessagesAreNoQuestions() {
    assertThat(PeerMessage.isQuestion(BODY)).isFalse();
    assertThat(PeerMessage.isQuestion(ByteBuffer.allocate(64))).isFalse();
  }

  @Test
  void anotherVersionIsRefusedBySayingWhich() {
    ByteBuffer question = PeerMessage.question(PeerMessage.READ_INDEX, BODY);
    question.put(Integer.BYTES, (byte) 9);
    assertThatThrownBy(() -> PeerMessage.readQuestion(question))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 9");
  }

  @Test
  void whatEndsEarlyIsRefused() {
    ByteBuffer question = PeerMessage.question(PeerMessage.READ_INDEX, BODY).limit(5);
    assertThatThrownBy(() -> PeerMessage.readQuestion(question)).isInstanceOf(IOException.class);
    ByteBuffer answer = PeerMessage.answer(7, BODY).limit(4);
    assertThatThrownBy(() -> PeerMessage.readAnswer(answer)).isInstanceOf(IOException.class);
  }
}
