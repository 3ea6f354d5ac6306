package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Bytes;
import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyReference;
import io.quorate.model.NodeId;
import io.quorate.replication.erasure.CodeShape;
import io.quorate.replication.erasure.CodedValueHeader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BodyLayoutTest {
  private static final int LENGTH = 1_000_000;

  private static final BodyLayout LAYOUT =
      new BodyLayout(
          new CodedValueHeader(new CodeShape(2, 1), LENGTH, -7, List.of(1, -2, 3)),
          List.of(new NodeId("n1"), new NodeId("a.longer-name"), new NodeId("n3")));

  private static BodyReference reference(byte[] layout) {
    return new BodyReference(3, 1, 0, LENGTH, ByteBuffer.wrap(layout));
  }

  @Test
  void aLayoutIsDecodedAsItWasEncoded() {
    assertThat(BodyLayout.of(reference(Bytes.of(LAYOUT.encode())))).isEqualTo(LAYOUT);
  }

  @Test
  void aTruncatedLayoutIsRejected() {
    byte[] whole = Bytes.of(LAYOUT.encode());
    for (int length = 0; length < whole.length; length++) {
      BodyReference truncated = reference(Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> BodyLayout.of(truncated))
          .isInstanceOf(DecodeException.class)
          .hasMessageContaining("layout of a body");
    }
  }

  @Test
  void aChangedLayoutIsRejected() {
    byte[] whole = Bytes.of(LAYOUT.encode());
    for (int i = 0; i < whole.length; i++) {
      byte[] changed = whole.clone();
      changed[i] ^= 0x10;
      assertThatThrownBy(() -> BodyLayout.of(reference(changed)))
          .isInstanceOf(DecodeException.class)
          .hasMessageContaining("layout of a body");
    }
  }

  @Test
  void eachFragmentHasANode() {
    assertThatThrownBy(() -> new BodyLayout(LAYOUT.header(), List.of(new NodeId("n1"))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
