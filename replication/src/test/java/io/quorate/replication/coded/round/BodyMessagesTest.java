package io.quorate.replication.coded.round;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DecodeException;
import io.quorate.replication.coded.round.BodyMessages.Fetch;
import io.quorate.replication.coded.round.BodyMessages.Fetched;
import io.quorate.replication.coded.round.BodyMessages.StoreChunk;
import io.quorate.replication.coded.round.BodyRound.Form;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

public class BodyMessagesTest {
  private static final ByteBuffer CONTENT = ByteBuffer.wrap(new byte[] {1, 2, 3});

  /** As it is received. */
  public static ByteBuffer joined(List<ByteBuffer> parts) {
    ByteBuffer whole = ByteBuffer.allocate(parts.stream().mapToInt(ByteBuffer::remaining).sum());
    parts.forEach(part -> whole.put(part.duplicate()));
    return whole.flip();
  }

  @Test
  void messagesAreDecodedAsTheyWereEncoded() {
    StoreChunk chunk = new StoreChunk(7, 9, Form.FRAGMENT, 200, 10, -5, 4, CONTENT);
    assertThat(StoreChunk.decode(joined(chunk.encode()))).isEqualTo(chunk);
    Fetch fetch = new Fetch(7, 9, 4, 1 << 20);
    assertThat(Fetch.decode(fetch.encode())).isEqualTo(fetch);
    Optional<Fetched> fetched = Optional.of(new Fetched(Form.COMPLETE, 0, 10, CONTENT));
    assertThat(BodyMessages.readFetched(BodyMessages.fetched(fetched))).isEqualTo(fetched);
    assertThat(BodyMessages.readFetched(BodyMessages.fetched(Optional.empty()))).isEmpty();
    assertThat(BodyMessages.readStored(BodyMessages.stored(Optional.of(Form.COMPLETE))))
        .contains(Form.COMPLETE);
    assertThat(BodyMessages.readStored(BodyMessages.stored(Optional.empty()))).isEmpty();
  }

  @Test
  void whatEndsEarlyIsRejected() {
    ByteBuffer chunk = joined(new StoreChunk(7, 9, Form.COMPLETE, 0, 10, 0, 0, CONTENT).encode());
    ByteBuffer fetch = new Fetch(7, 9, 0, 10).encode();
    ByteBuffer empty = ByteBuffer.allocate(0);
    assertThatThrownBy(() -> StoreChunk.decode(chunk.slice(0, 20)))
        .isInstanceOf(DecodeException.class);
    assertThatThrownBy(() -> Fetch.decode(fetch.slice(0, 20))).isInstanceOf(DecodeException.class);
    assertThatThrownBy(() -> BodyMessages.readStored(empty)).isInstanceOf(DecodeException.class);
    assertThatThrownBy(() -> BodyMessages.readFetched(empty)).isInstanceOf(DecodeException.class);
  }

  @Test
  void aChunkIsAPartOfItsBody() {
    for (StoreChunk outside :
        new StoreChunk[] {
          new StoreChunk(1, 1, Form.COMPLETE, 0, 2, 0, 0, CONTENT),
          new StoreChunk(1, 1, Form.COMPLETE, 0, 5, 0, 3, CONTENT),
          new StoreChunk(1, 1, Form.COMPLETE, 0, 5, 0, -1, CONTENT),
          new StoreChunk(1, 1, Form.COMPLETE, 0, -5, 0, 0, CONTENT),
          new StoreChunk(1, 1, Form.COMPLETE, 0, 5, 0, Integer.MAX_VALUE, CONTENT),
          new StoreChunk(1, 1, Form.COMPLETE, 0, 5, 0, 2, ByteBuffer.allocate(0))
        }) {
      assertThatThrownBy(() -> StoreChunk.decode(joined(outside.encode())))
          .isInstanceOf(DecodeException.class)
          .hasMessageContaining("is not a part of a body");
    }
  }

  @Test
  void aRequestForNoPossiblePartIsRejected() {
    for (Fetch impossible :
        new Fetch[] {
          new Fetch(1, 1, -1, 1), new Fetch(1, 1, 0, -1), new Fetch(1, 1, Integer.MAX_VALUE, 1)
        }) {
      assertThatThrownBy(() -> Fetch.decode(impossible.encode()))
          .isInstanceOf(DecodeException.class);
    }
  }
}
