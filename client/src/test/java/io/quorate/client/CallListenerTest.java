package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.client.internal.call.ObservedCall;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class CallListenerTest {
  private final List<CallReport> reports = new CopyOnWriteArrayList<>();
  private final List<String> events = new CopyOnWriteArrayList<>();
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = ClientFixture.twoRegions();
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private AsyncQuorateClient open(CallListener listener) {
    return AsyncQuorateClient.open(options(cluster).listener(listener).inFlight(10, 100).build());
  }

  private CallReport last() {
    return reports.get(reports.size() - 1);
  }

  @Test
  void eachCallIsReportedOnceBeforeItsFutureCompletes() {
    try (AsyncQuorateClient client = open(start -> reports::add)) {
      client.ready().join();
      client.put("a", "1").join();
      client.putIfAbsent("a", "1").join();
      client.append("a", "1").join();
      client.increment("n", 1).join();
      client.incrementAndGet("n", 1).join();
      client.incrementAndGet(bytes("n"), 1, true).join();
      client.getAndPut("a", "2").join();
      client.get("a").join();
      client.batch(new Batch().put("a", "3")).join();
      client.scanPage(KeyRange.ALL, 10).join();
      client.delete("a").join();
      client.status().join();
      failure(client.withDeadline(Duration.ofMillis(100)).nodes().preview());

      assertThat(reports)
          .extracting(CallReport::operation)
          .containsExactly(
              CallOperation.READY,
              CallOperation.PUT,
              CallOperation.COMPARE_AND_SET,
              CallOperation.APPEND,
              CallOperation.INCREMENT,
              CallOperation.INCREMENT,
              CallOperation.INCREMENT,
              CallOperation.GET_AND_PUT,
              CallOperation.GET,
              CallOperation.BATCH,
              CallOperation.SCAN,
              CallOperation.DELETE,
              CallOperation.STATUS,
              CallOperation.NODES);
      assertThat(last().outcome()).isNotEqualTo("ok");
    }
  }

  @Test
  void theRegionAndTheNodeAreThoseOfTheResponse() {
    try (AsyncQuorateClient client = open(start -> reports::add)) {
      client.put("a", "1").join();
      assertThat(last().region()).contains(new GroupId(1));
      assertThat(last().node()).contains(new NodeId("n1"));
      client.put("z", "1").join();
      assertThat(last().region()).contains(new GroupId(2));
      assertThat(last().node()).contains(new NodeId("n2"));
      assertThat(last().attempts()).isEqualTo(1);
      assertThat(last().time()).isPositive();

      client.status().join();
      assertThat(last().region()).isEmpty();
      assertThat(last().node()).isEmpty();
      assertThat(last().attempts()).isZero();
    }
  }

  @Test
  void attemptsAreCounted() {
    try (AsyncQuorateClient client = open(start -> reports::add)) {
      client.put("a", "1").join();
      cluster.nodes().forEach(node -> node.next(Opcode.GET, Reaction.refuse(Status.UNAVAILABLE)));
      client.get("a").join();

      assertThat(last().attempts()).isGreaterThan(1);
      assertThat(last().retries()).isEqualTo(last().attempts() - 1);
      assertThat(last().failure()).isEmpty();
      assertThat(last().outcome()).isEqualTo("ok");
    }
  }

  @Test
  void aScanOfSeveralPagesIsOneCallWithoutRetries() {
    try (AsyncQuorateClient client = open(start -> reports::add)) {
      client.put("a", "1").join();
      client.put("z", "1").join();
      reports.clear();

      assertThat(client.scan(KeyRange.ALL, 10).join()).hasSize(2);
      assertThat(reports).hasSize(1);
      assertThat(last().operation()).isEqualTo(CallOperation.SCAN);
      assertThat(last().attempts()).isGreaterThan(1);
      assertThat(last().retries()).isZero();
    }
  }

  @Test
  void aCallThatIsRejectedIsReported() {
    try (AsyncQuorateClient client = open(start -> reports::add)) {
      Throwable tooLong = failure(client.put("a", "1".repeat(100)));
      assertThat(last().failure().orElseThrow()).isSameAs(tooLong);
      assertThat(last().outcome()).isEqualTo("invalid");
      assertThat(last().attempts()).isZero();

      Throwable noKey = failure(client.get(new byte[0]));
      assertThat(last().failure().orElseThrow()).isSameAs(noKey);
      assertThat(last().operation()).isEqualTo(CallOperation.GET);
      assertThat(reports).hasSize(2);
    }
  }

  @Test
  void aCallOfAClosedClientIsReported() {
    AsyncQuorateClient client = open(start -> reports::add);
    client.close();
    failure(client.get("a"));
    assertThat(reports).extracting(CallReport::outcome).containsExactly("closed");
  }

  @Test
  void aCallBeginsOnTheThreadOfItsCallerAndIsAdmittedBeforeItEnds() {
    CallListener listener =
        start -> {
          events.add(start.operation().label() + " " + Thread.currentThread().getName());
          return new CallListener.Handle() {
            @Override
            public void admitted() {
              events.add("admitted");
            }

            @Override
            public void end(CallReport call) {
              events.add("end " + call.outcome());
            }
          };
        };
    String caller = Thread.currentThread().getName();
    try (AsyncQuorateClient client = open(listener)) {
      client.put("a", "1").join();
      client.put("z", "1").join();
      failure(client.put("a", "1".repeat(100)));
      client.scan(KeyRange.ALL, 10).join();
      client.status().join();
    }
    assertThat(events)
        .containsExactly(
            "put " + caller,
            "admitted",
            "end ok",
            "put " + caller,
            "admitted",
            "end ok",
            "put " + caller,
            "end invalid",
            "scan " + caller,
            "admitted",
            "end ok",
            "status " + caller,
            "admitted",
            "end ok");
  }

  @Test
  void everyListenerIsTold() {
    List<CallReport> others = new CopyOnWriteArrayList<>();
    ClientOptions options =
        options(cluster).listener(start -> reports::add).listener(start -> others::add).build();
    try (AsyncQuorateClient client = AsyncQuorateClient.open(options.toBuilder().build())) {
      client.put("a", "1").join();
    }
    assertThat(reports).hasSize(1).isEqualTo(others);
  }

  /** With room for one call in flight and none that waits, all of which are given back. */
  @ParameterizedTest
  @ValueSource(strings = {"begin", "no handle", "admitted", "end"})
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aListenerThatThrowsAnErrorAffectsNoCallAndNoOtherListener(String step) {
    ClientOptions options =
        options(cluster)
            .inFlight(1, 1 << 20)
            .waiting(0, 0)
            .listener(start -> failing(step, "begin"))
            .listener(start -> reports::add)
            .build();
    try (AsyncQuorateClient client = AsyncQuorateClient.open(options)) {
      client.put("a", "1").join();
      assertThat(client.get("a").join()).contains("1");
      // Rejected on the thread of the caller.
      assertThat(failure(client.put(new byte[1], new byte[2 << 20])))
          .hasMessageContaining("flight");
      assertThat(client.scan(KeyRange.ALL, 10).join()).hasSize(1);
      client.status().join();
      assertThat(client.get("a").join()).contains("1");
    }
    assertThat(reports)
        .extracting(CallReport::operation)
        .containsExactly(
            CallOperation.PUT,
            CallOperation.GET,
            CallOperation.PUT,
            CallOperation.SCAN,
            CallOperation.STATUS,
            CallOperation.GET);
  }

  private static CallListener.Handle failing(String step, String present) {
    if (step.equals(present)) {
      throw new StackOverflowError("thrown by a test");
    }
    return step.equals("no handle")
        ? null
        : new CallListener.Handle() {
          @Override
          public void admitted() {
            failing(step, "admitted");
          }

          @Override
          public void end(CallReport call) {
            failing(step, "end");
          }
        };
  }

  @Test
  void aValueThatIsNotTextIsReportedAsItsCallerSeesIt() {
    try (AsyncQuorateClient client = open(start -> reports::add)) {
      client.put("a", new byte[] {-1}).join();
      assertThat(failure(client.get("a"))).isInstanceOf(RefusedException.class);
      assertThat(last().outcome()).isEqualTo("refused");
      assertThat(failure(client.getAndPut("a", "1"))).isInstanceOf(IndeterminateException.class);
      assertThat(last().outcome()).isEqualTo("indeterminate");
      assertThat(client.getAndPut("a", "2").join()).contains("1");
      assertThat(last().outcome()).isEqualTo("ok");
    }
  }

  @Test
  void aListenerThatAlwaysThrowsIsLoggedOnceAMinuteAtMost() {
    CallListener failing =
        start -> {
          throw new IllegalStateException("thrown by a test");
        };
    Logger log = (Logger) LoggerFactory.getLogger(ObservedCall.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    log.addAppender(lines);
    try (AsyncQuorateClient client = open(failing)) {
      for (int i = 0; i < 100; i++) {
        client.get("a").join();
      }
      // Other tests of this JVM may have had the line of this minute; perhaps a minute ended.
      assertThat(lines.list).hasSizeLessThan(3);
    } finally {
      log.detachAppender(lines);
    }
  }

  @Test
  void whatAListenerThrowsNeedNotHaveAMessage() {
    CallListener failing =
        start -> {
          throw new WithoutMessage();
        };
    try (QuorateClient client = QuorateClient.connect(options(cluster).listener(failing).build())) {
      client.put("a", "1");
      assertThat(client.get("a")).contains("1");
    }
  }

  private static final class WithoutMessage extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("thrown by a test");
    }
  }
}
