package io.quorate.replication.coded.round;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.BodyReplication.Part;
import io.quorate.replication.coded.round.BodyRound.Form;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeldBodyTest {
  @ParameterizedTest
  @CsvSource({
    "COMPLETE, 100, COMPLETE",
    "FRAGMENT, 50, FRAGMENT",
    "FRAGMENT, 99, FRAGMENT",
    // In a code with one data fragment.
    "FRAGMENT, 100, COMPLETE"
  })
  void theStoredLengthShowsWhatIsHeldOfABodyOf100Bytes(
      Form form, int bytes, BodyReplication.Form expected) {
    int stored =
        HeldBody.stored(form, 1, List.of(ByteBuffer.allocate(bytes))).stream()
            .mapToInt(ByteBuffer::remaining)
            .sum();
    assertThat(HeldBody.part(stored, 100)).isEqualTo(new Part(expected, bytes));
  }
}
