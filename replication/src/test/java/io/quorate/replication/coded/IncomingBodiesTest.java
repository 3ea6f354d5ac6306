package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Budget;
import io.quorate.consensus.EngineSettings;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.IncomingBodies.Received;
import io.quorate.replication.coded.round.BodyMessages.StoreChunk;
import io.quorate.replication.coded.round.BodyRound.Form;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class IncomingBodiesTest {
  private static final NodeId LEADER = new NodeId("n1");
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final byte[] CONTENT = "0123456789".getBytes(StandardCharsets.US_ASCII);

  private final IncomingBodies incoming = new IncomingBodies(new Budget(2, 25), IDLE);

  private static int checksum() {
    CRC32C crc = new CRC32C();
    crc.update(CONTENT);
    return (int) crc.getValue();
  }

  private static StoreChunk chunk(long number, Form form, int from, int to) {
    return new StoreChunk(
        1,
        number,
        form,
        0,
        CONTENT.length,
        checksum(),
        from,
        ByteBuffer.wrap(CONTENT, from, to - from).slice());
  }

  private static StoreChunk chunk(long number, int from, int to) {
    return chunk(number, Form.FRAGMENT, from, to);
  }

  private Received complete(long number) throws IOException {
    return incoming.accept(LEADER, chunk(number, 0, 10), 0).orElseThrow();
  }

  @Test
  void chunksInOrderAreABody() throws IOException {
    assertThat(incoming.accept(LEADER, chunk(0, 0, 4), 0)).isEmpty();
    assertThat(incoming.accept(LEADER, chunk(1, 0, 5), 0)).isEmpty();
    assertThat(incoming.accept(LEADER, chunk(0, 4, 7), 0)).isEmpty();
    Received body = incoming.accept(LEADER, chunk(0, 7, 10), 0).orElseThrow();
    assertThat(body.first().number()).isZero();
    assertThat(body.content()).hasSize(3);
    assertThat(body.isIntact()).isTrue();
  }

  @Test
  void aChunkOutOfOrderEndsItsBody() throws IOException {
    incoming.accept(LEADER, chunk(0, 0, 4), 0);
    assertThatThrownBy(() -> incoming.accept(LEADER, chunk(0, 5, 7), 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("does not follow");
    assertThatThrownBy(() -> incoming.accept(LEADER, chunk(0, 4, 7), 0))
        .isInstanceOf(IOException.class);
    assertThat(complete(0).isIntact()).isTrue();
  }

  @Test
  void theFirstChunkBeginsAnew() throws IOException {
    incoming.accept(LEADER, chunk(0, 0, 4), 0);
    incoming.accept(LEADER, chunk(0, Form.COMPLETE, 0, 5), 0);
    assertThatThrownBy(() -> incoming.accept(LEADER, chunk(0, Form.FRAGMENT, 5, 10), 0))
        .as("a late chunk of the fragment")
        .isInstanceOf(IOException.class);
    incoming.accept(LEADER, chunk(0, Form.COMPLETE, 0, 5), 0);
    Received body = incoming.accept(LEADER, chunk(0, Form.COMPLETE, 5, 10), 0).orElseThrow();
    assertThat(body.first().form()).isEqualTo(Form.COMPLETE);
  }

  @Test
  void changedContentDoesNotMatchItsChecksum() throws IOException {
    incoming.accept(LEADER, chunk(0, 0, 4), 0);
    StoreChunk changed =
        new StoreChunk(1, 0, Form.FRAGMENT, 0, 10, checksum(), 4, ByteBuffer.allocate(6));
    assertThat(incoming.accept(LEADER, changed, 0).orElseThrow().isIntact()).isFalse();
  }

  @Test
  void bodiesAreBoundedInNumberUntilTheyAreReleased() throws IOException {
    Received first = complete(0);
    incoming.accept(LEADER, chunk(1, 0, 4), 0);
    assertThatThrownBy(() -> complete(2))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("coded.bodies-in-flight-max");
    incoming.release(first);
    assertThat(complete(2).isIntact()).isTrue();
  }

  @Test
  void bodiesAreBoundedInBytesButOneMayBeLonger() throws IOException {
    StoreChunk longer = new StoreChunk(1, 0, Form.COMPLETE, 0, 1000, 0, 0, ByteBuffer.allocate(10));
    incoming.accept(LEADER, longer, 0);
    assertThatThrownBy(() -> complete(1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("coded.bodies-in-flight-size-max");
    incoming.dropIdle(IDLE.toNanos());
    complete(1);
    assertThatThrownBy(() -> incoming.accept(LEADER, longer, 0)).isInstanceOf(IOException.class);
  }

  @Test
  void replicasOfANodeShareTheirBoundsUntilOneCloses() throws IOException {
    CodedSettings settings =
        CodedSettings.from(
            new EngineSettings("raft", Map.of("coded.bodies-in-flight-max", "1")), 4 << 20);
    BodyBudgets node = BodyBudgets.of(settings);
    IncomingBodies one = new IncomingBodies(node.incoming(), IDLE);
    IncomingBodies other = new IncomingBodies(node.incoming(), IDLE);
    one.accept(LEADER, chunk(0, 0, 4), 0);
    assertThatThrownBy(() -> other.accept(LEADER, chunk(0, 0, 4), 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("coded.bodies-in-flight-max");
    one.close();
    assertThat(other.accept(LEADER, chunk(0, 0, 4), 0)).isEmpty();
    assertThatThrownBy(() -> one.accept(LEADER, chunk(0, 0, 4), 0)).hasMessageContaining("closing");
  }

  @Test
  void onlyIdleBodiesAreDropped() throws IOException {
    incoming.accept(LEADER, chunk(0, 0, 4), 0);
    incoming.accept(LEADER, chunk(1, 0, 4), 1);
    incoming.dropIdle(IDLE.toNanos());
    assertThatThrownBy(() -> incoming.accept(LEADER, chunk(0, 4, 10), 1))
        .isInstanceOf(IOException.class);
    assertThat(incoming.accept(LEADER, chunk(1, 4, 10), 1)).isPresent();
  }

  @Test
  void bodiesOfDifferentSendersAreDifferent() throws IOException {
    incoming.accept(LEADER, chunk(0, 0, 4), 0);
    assertThatThrownBy(() -> incoming.accept(new NodeId("n2"), chunk(0, 4, 10), 0))
        .isInstanceOf(IOException.class);
    assertThat(incoming.accept(LEADER, chunk(0, 4, 10), 0)).isPresent();
  }
}
