package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.RegionAdministration;
import io.quorate.client.fake.FakeCluster;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Opcode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Null, and text that cannot be encoded or decoded, are refused by every method. */
@Timeout(60)
class ArgumentsTest {
  /** Two texts with different halves of a surrogate pair. */
  private static final List<String> HALVES =
      List.of("a" + (char) 0xd83d, String.valueOf((char) 0xde00));

  private static final byte[] NO_TEXT = {(byte) 0xff, 0};

  private static final Map<Class<?>, Object> VALID =
      Map.ofEntries(
          Map.entry(byte[].class, new byte[] {1}),
          Map.entry(String.class, "text"),
          Map.entry(Object.class, "text"),
          Map.entry(Codec.class, Codec.utf8()),
          Map.entry(KeyRange.class, KeyRange.ALL),
          Map.entry(Guarantee.class, Guarantee.LINEARIZABLE),
          Map.entry(Duration.class, Duration.ofSeconds(1)),
          Map.entry(Batch.class, new Batch().delete("a")),
          Map.entry(GroupId.class, new GroupId(1)),
          Map.entry(NodeId.class, new NodeId("n1")),
          Map.entry(NodeAddress.class, new NodeAddress("localhost", 1)),
          Map.entry(ClientOptions.QuorumReads.class, ClientOptions.QuorumReads.BY_NODE),
          Map.entry(CallListener.class, (CallListener) start -> report -> {}),
          Map.entry(Executor.class, (Executor) Runnable::run),
          Map.entry(long.class, 1L),
          Map.entry(int.class, 1),
          Map.entry(boolean.class, false));

  private static FakeCluster cluster;
  private static QuorateClient client;

  @BeforeAll
  static void start() {
    cluster = FakeCluster.start(1);
    client = QuorateClient.connect(options(cluster).build());
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
  }

  private static Stream<Method> methods(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic());
  }

  private static Object target(Class<?> type) {
    if (type == QuorateClient.class) {
      return client;
    } else if (type == AsyncQuorateClient.class) {
      return client.async();
    } else if (type == Batch.class) {
      return new Batch();
    } else if (type == ClientOptions.Builder.class) {
      return ClientOptions.builder("localhost:1");
    } else if (type == QuorateMap.class) {
      return client.map(Codec.utf8(), Codec.utf8());
    } else if (type == AsyncQuorateMap.class) {
      return client.async().map(Codec.utf8(), Codec.utf8());
    } else if (type == RegionAdministration.class) {
      return client.async().regions();
    } else if (type == BulkWriter.class) {
      return client.bulk();
    }
    return client.async().nodes();
  }

  private static Stream<Arguments> references() {
    return Stream.of(
            QuorateClient.class,
            AsyncQuorateClient.class,
            BulkWriter.class,
            Batch.class,
            ClientOptions.Builder.class,
            RegionAdministration.class,
            NodeAdministration.class,
            QuorateMap.class,
            AsyncQuorateMap.class)
        .flatMap(ArgumentsTest::methods)
        .flatMap(
            method ->
                IntStream.range(0, method.getParameterCount())
                    .filter(index -> !method.getParameterTypes()[index].isPrimitive())
                    .mapToObj(index -> Arguments.of(method, index)));
  }

  private static Throwable thrownWith(Method method, int index, Object argument) {
    Object[] arguments =
        Arrays.stream(method.getParameterTypes()).map(VALID::get).toArray(Object[]::new);
    arguments[index] = argument;
    Throwable thrown =
        catchThrowable(() -> method.invoke(target(method.getDeclaringClass()), arguments));
    return thrown instanceof InvocationTargetException wrapper ? wrapper.getCause() : thrown;
  }

  @ParameterizedTest
  @MethodSource("references")
  void nullIsRefusedWithItsName(Method method, int index) {
    assertThat(thrownWith(method, index, null))
        .isExactlyInstanceOf(NullPointerException.class)
        .hasMessageMatching("[a-zA-Z]+ must not be null");
  }

  @Test
  void optionsAndAddressesAreNotNull() {
    assertThatThrownBy(() -> QuorateClient.connect((String) null))
        .hasMessage("seeds must not be null");
    assertThatThrownBy(() -> QuorateClient.connect((ClientOptions) null))
        .hasMessage("options must not be null");
    assertThatThrownBy(() -> AsyncQuorateClient.open(null)).hasMessage("options must not be null");
    assertThatThrownBy(() -> new KeyValue(bytes("a"), null)).hasMessage("value must not be null");
    assertThatThrownBy(() -> client.get((byte[]) null)).hasMessage("key must not be null");
    assertThatThrownBy(() -> client.put("a", (String) null)).hasMessage("value must not be null");
    assertThatThrownBy(() -> client.async().get("a".getBytes(), null))
        .hasMessage("readGuarantee must not be null");
  }

  private static Stream<Arguments> texts() {
    return references()
        .filter(
            each -> {
              Method method = (Method) each.get()[0];
              return method.getParameterTypes()[(int) each.get()[1]] == String.class
                  && method.getDeclaringClass() != ClientOptions.Builder.class;
            });
  }

  @ParameterizedTest
  @MethodSource("texts")
  void halfOfASurrogatePairIsRefused(Method method, int index) throws Exception {
    int writes = cluster.node(1).count(Opcode.WRITE);
    for (String half : HALVES) {
      Throwable failure;
      if (method.getReturnType() == CompletableFuture.class) {
        Object[] arguments =
            Arrays.stream(method.getParameterTypes()).map(VALID::get).toArray(Object[]::new);
        arguments[index] = half;
        failure = failure((CompletableFuture<?>) method.invoke(client.async(), arguments));
      } else {
        failure = thrownWith(method, index, half);
      }
      assertThat(failure)
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("half of a surrogate pair");
    }
    assertThat(cluster.node(1).count(Opcode.WRITE)).isEqualTo(writes);
  }

  @Test
  void aBatchIsUnchangedByTextThatIsRefused() {
    Batch batch = new Batch().put("a", "1");
    assertThatThrownBy(() -> batch.put("b", HALVES.get(0)))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(batch.size()).isEqualTo(1);
  }

  @Test
  void aValueThatIsNotTextIsReadAsBytesOnly() {
    client.put(bytes("binary"), NO_TEXT);
    assertThatThrownBy(() -> client.get("binary"))
        .isInstanceOf(RefusedException.class)
        .hasMessage("The value of key \"binary\" is not text in UTF-8; read it as bytes.");
    assertThat(failure(client.async().get("binary"))).isInstanceOf(RefusedException.class);
    assertThat(client.get(bytes("binary"))).contains(NO_TEXT);
    KeyValue row = client.scan(KeyRange.from(Key.utf8("binary")), 1).get(0);
    assertThat(row.keyText()).isEqualTo("binary");
    assertThatThrownBy(row::valueText)
        .isInstanceOf(RefusedException.class)
        .hasMessage("The value of key binary is not text in UTF-8.");
    assertThat(row).hasToString("binary=\"\\xff\\x00\"");
  }

  @Test
  void aWriteWhoseFormerValueIsNotTextSaysThatItHasTakenEffect() {
    client.put(bytes("replaced"), NO_TEXT);
    assertThatThrownBy(() -> client.getAndPut("replaced", "text"))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageStartingWith("The write has taken effect, but the value that key \"replaced\"");
    assertThat(client.get("replaced")).contains("text");
  }

  @Test
  void textThatNeedsSurrogatesAndReplacementCharactersIsKept() {
    String text = new String(Character.toChars(0x1f600)) + (char) 0xfffd + "?";
    client.put(text, text);
    assertThat(client.get(text)).contains(text);
  }
}
