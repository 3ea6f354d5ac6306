package io.quorate.benchmarks.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DecodeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordCodecTest {
  private static final List<String> NAMES =
      List.of(
          "field0",
          "field9",
          "field63",
          "field64",
          "field10000",
          "field999999999",
          "field1000000000",
          "field",
          "field00",
          "field01",
          "field-1",
          "field1x",
          "",
          "f",
          "größe",
          "name".repeat(40));

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  @Test
  void randomRecordsAreUnpackedAsTheyWerePacked() {
    for (int i = 0; i < 2000; i++) {
      Map<String, ByteBuffer> fields = randomFields();
      byte[] record = RecordCodec.encode(fields);
      assertThat(RecordCodec.decode(record)).as("seed %d", seed).isEqualTo(fields);
      assertThat(RecordCodec.encode(RecordCodec.decode(record)))
          .as("seed %d", seed)
          .isEqualTo(record);
    }
  }

  @Test
  void aSelectionHasOnlyTheSelectedFields() {
    for (int i = 0; i < 500; i++) {
      Map<String, ByteBuffer> fields = randomFields();
      Set<String> selected = Set.of(NAMES.get(random.nextInt(NAMES.size())), "field5", "absent");
      Map<String, ByteBuffer> expected = new LinkedHashMap<>(fields);
      expected.keySet().retainAll(selected);
      assertThat(RecordCodec.decode(RecordCodec.encode(fields), selected::contains))
          .as("seed %d", seed)
          .isEqualTo(expected);
    }
  }

  @Test
  void aRecordOfTenNumberedFieldsHasTwentyOneBytesMoreThanItsValues() {
    Map<String, ByteBuffer> fields = new LinkedHashMap<>();
    for (int i = 0; i < 10; i++) {
      fields.put("field" + i, ByteBuffer.allocate(100));
    }
    assertThat(RecordCodec.encode(fields)).hasSize(1021);
  }

  @Test
  void theEncodingOfASmallRecordIsTheDocumentedOne() {
    Map<String, ByteBuffer> fields = new LinkedHashMap<>();
    fields.put("field3", ByteBuffer.wrap(new byte[] {7, 8}));
    fields.put("x", ByteBuffer.allocate(0));
    assertThat(RecordCodec.encode(fields)).containsExactly(2, 6, 2, 7, 8, 3, 'x', 0);
  }

  @Test
  void everyTruncatedRecordIsRejected() {
    byte[] record = RecordCodec.encode(randomFields());
    for (int length = 0; length < record.length; length++) {
      byte[] part = Arrays.copyOf(record, length);
      assertThatThrownBy(() -> RecordCodec.decode(part))
          .as("seed %d, %d of %d bytes", seed, length, record.length)
          .isInstanceOf(DecodeException.class);
    }
  }

  @Test
  void otherBytesAreRejected() {
    for (byte[] bytes :
        List.of(
            "hello".getBytes(StandardCharsets.UTF_8),
            new byte[] {0, 1},
            new byte[] {-1, -1, -1, -1, -1, -1},
            new byte[] {-1, -1, -1, -1, 8})) {
      assertThatThrownBy(() -> RecordCodec.decode(bytes)).isInstanceOf(DecodeException.class);
    }
  }

  private Map<String, ByteBuffer> randomFields() {
    Map<String, ByteBuffer> fields = new LinkedHashMap<>();
    int count = random.nextInt(12);
    for (int i = 0; i < count; i++) {
      String name = random.nextBoolean() ? "field" + i : NAMES.get(random.nextInt(NAMES.size()));
      byte[] value =
          new byte[random.nextInt(4) == 0 ? random.nextInt(20_000) : random.nextInt(130)];
      random.nextBytes(value);
      fields.put(name, ByteBuffer.wrap(value));
    }
    return fields;
  }
}
