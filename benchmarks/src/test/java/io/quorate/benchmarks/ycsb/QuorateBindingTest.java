package io.quorate.benchmarks.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.QuorateClient;
import io.quorate.common.DecodeException;
import io.quorate.testing.EmbeddedCluster;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

@Timeout(60)
class QuorateBindingTest {
  private static final String TABLE = "usertable";

  private static EmbeddedCluster cluster;
  private static QuorateBinding binding;

  @BeforeAll
  static void start() throws DBException {
    cluster = EmbeddedCluster.start(1);
    binding = binding(properties("3"));
  }

  @AfterAll
  static void stop() {
    binding.cleanup();
    cluster.close();
  }

  @Test
  void anInsertedRecordIsReadCompletelyOrInPart() {
    insert("whole", Map.of("field0", "a", "field1", "", "other", "ü"));

    assertThat(read("whole", null)).isEqualTo(Map.of("field0", "a", "field1", "", "other", "ü"));
    assertThat(read("whole", Set.of("other", "absent"))).isEqualTo(Map.of("other", "ü"));
  }

  @Test
  void aMissingRecordIsNotFound() {
    assertThat(binding.read(TABLE, "missing", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
    assertThat(binding.update(TABLE, "missing", values(Map.of("field0", "a"))))
        .isEqualTo(Status.NOT_FOUND);
    assertThat(binding.delete(TABLE, "missing")).isEqualTo(Status.OK);
  }

  @Test
  void anUpdateOfSomeFieldsKeepsTheOthers() {
    insert("part", Map.of("field0", "a", "field1", "b", "field2", "c"));

    assertThat(binding.update(TABLE, "part", values(Map.of("field1", "longer"))))
        .isEqualTo(Status.OK);

    assertThat(read("part", null))
        .isEqualTo(Map.of("field0", "a", "field1", "longer", "field2", "c"));
  }

  @Test
  void anUpdateOfAllFieldsInsertsAMissingRecord() {
    Map<String, String> all = Map.of("field0", "a", "field1", "b", "field2", "c");

    assertThat(binding.update(TABLE, "all", values(all))).isEqualTo(Status.OK);

    assertThat(read("all", null)).isEqualTo(all);
  }

  @Test
  void concurrentUpdatesOfDifferentFieldsAreAllKept() {
    insert("contended", Map.of("field0", "0", "field1", "0", "field2", "0"));
    int rounds = 50;
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String field = "field" + i;
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int round = 1; round <= rounds; round++) {
                  Map<String, String> change = Map.of(field, Integer.toString(round));
                  assertThat(binding.update(TABLE, "contended", values(change)))
                      .isEqualTo(Status.OK);
                  assertThat(read("contended", Set.of(field))).isEqualTo(change);
                }
              },
              task -> new Thread(task).start()));
    }
    CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new)).join();

    assertThat(read("contended", null).values()).containsOnly(Integer.toString(rounds));
  }

  @Test
  void aScanReturnsTheRequestedFieldsOfTheNextRecordsOfItsTable() {
    for (String key : List.of("1", "2", "3", "4")) {
      insert("scanned", key, Map.of("field0", "v" + key, "field1", "x"));
    }
    insert("scanned-later", "1", Map.of("field0", "of another table"));

    assertThat(scan("scanned", "2", 2)).containsExactly("v2", "v3");
    assertThat(scan("scanned", "15", 100)).containsExactly("v2", "v3", "v4");
    assertThat(scan("scanned", "5", 1)).isEmpty();
  }

  @Test
  void aDeletedRecordIsNotFound() {
    insert("deleted", Map.of("field0", "a"));

    assertThat(binding.delete(TABLE, "deleted")).isEqualTo(Status.OK);

    assertThat(binding.read(TABLE, "deleted", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
  }

  @Test
  void aValueThatIsNoRecordIsAnError() {
    try (QuorateClient client = QuorateClient.connect(cluster.options())) {
      client.put(TABLE + "/foreign", "hello");
    }

    assertThat(binding.read(TABLE, "foreign", null, new HashMap<>())).isEqualTo(Status.ERROR);
    assertThat(binding.update(TABLE, "foreign", values(Map.of("field0", "a"))))
        .isEqualTo(Status.ERROR);
  }

  @Test
  void aTooLongKeyAndAnInvalidTableAreBadRequests() {
    assertThat(binding.read(TABLE, "k".repeat(1 << 20), null, new HashMap<>()))
        .isEqualTo(Status.BAD_REQUEST);
    assertThat(binding.delete("a/b", "k")).isEqualTo(Status.BAD_REQUEST);
    assertThat(QuorateBinding.status(new DecodeException("x"))).isEqualTo(Status.ERROR);
  }

  @Test
  void anInvalidPropertyIsReportedInOneSentence() {
    Properties properties = properties("3");
    properties.setProperty(BindingOptions.DEADLINE, "soon");
    assertThatThrownBy(() -> binding(properties))
        .isInstanceOf(DBException.class)
        .hasMessage("The property quorate.deadline-ms is a whole number from 1 on, not soon.");
  }

  @Test
  void aClusterThatIsNotThereIsReportedInOneSentence() {
    Properties properties = properties("3");
    properties.setProperty(BindingOptions.AT, "127.0.0.1:1");
    properties.setProperty(BindingOptions.DEADLINE, "300");
    assertThatThrownBy(() -> binding(properties)).isInstanceOf(DBException.class);
  }

  private static Properties properties(String fieldCount) {
    Properties properties = new Properties();
    properties.setProperty(BindingOptions.AT, cluster.addresses());
    properties.setProperty("fieldcount", fieldCount);
    return properties;
  }

  private static QuorateBinding binding(Properties properties) throws DBException {
    QuorateBinding created = new QuorateBinding();
    created.setProperties(properties);
    created.init();
    return created;
  }

  private static void insert(String key, Map<String, String> fields) {
    insert(TABLE, key, fields);
  }

  private static void insert(String table, String key, Map<String, String> fields) {
    assertThat(binding.insert(table, key, values(fields))).isEqualTo(Status.OK);
  }

  private static Map<String, String> read(String key, Set<String> fields) {
    Map<String, ByteIterator> result = new HashMap<>();
    assertThat(binding.read(TABLE, key, fields, result)).isEqualTo(Status.OK);
    return texts(result);
  }

  private static List<String> scan(String table, String start, int count) {
    Vector<HashMap<String, ByteIterator>> result = new Vector<>();
    assertThat(binding.scan(table, start, count, Set.of("field0"), result)).isEqualTo(Status.OK);
    return result.stream()
        .peek(record -> assertThat(record).containsOnlyKeys("field0"))
        .map(record -> texts(record).get("field0"))
        .toList();
  }

  private static Map<String, ByteIterator> values(Map<String, String> fields) {
    Map<String, ByteIterator> values = new HashMap<>();
    fields.forEach((name, value) -> values.put(name, new StringByteIterator(value)));
    return values;
  }

  private static Map<String, String> texts(Map<String, ByteIterator> fields) {
    Map<String, String> texts = new TreeMap<>();
    fields.forEach(
        (name, value) -> texts.put(name, new String(value.toArray(), StandardCharsets.ISO_8859_1)));
    return texts;
  }
}
