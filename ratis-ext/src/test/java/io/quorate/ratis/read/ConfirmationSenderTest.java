package io.quorate.ratis.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.model.NodeId;
import io.quorate.ratis.heartbeat.GroupTerm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.RaftGroupId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConfirmationSenderTest {
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final long TERM = 5;

  private record Sent(NodeId to, List<GroupTerm> groups, CompletableFuture<ByteBuffer> response) {
    void confirm(int... confirmed) {
      BitSet bits = new BitSet();
      for (int bit : confirmed) {
        bits.set(bit);
      }
      response.complete(ByteBuffer.wrap(bits.toByteArray()));
    }
  }

  private final AtomicLong nanos = new AtomicLong();
  private final List<Sent> sent = new CopyOnWriteArrayList<>();
  private final List<String> results = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Queue<Runnable> iteration = new ArrayDeque<>();
  private boolean isInIteration;
  private final ConfirmationSender sender = new ConfirmationSender(new Loop(), timer, nanos::get);

  @AfterEach
  void close() {
    timer.shutdownNow();
  }

  private final class Loop implements ConfirmationSender.Transport {
    @Override
    public CompletableFuture<ByteBuffer> send(NodeId to, ByteBuffer request) {
      Sent message = new Sent(to, GroupTerm.decode(request), new CompletableFuture<>());
      sent.add(message);
      return message.response();
    }

    @Override
    public void execute(NodeId to, Runnable task) {
      if (isInIteration) {
        iteration.add(task);
      } else {
        task.run();
      }
    }
  }

  private static GroupTerm group(int number) {
    return new GroupTerm(RaftGroupId.valueOf(new UUID(1, number)), TERM);
  }

  private void request(NodeId to, int number) {
    sender.request(to, group(number), confirmed -> results.add(number + " " + confirmed));
  }

  @Test
  void theFirstRequestIsSentAtOnce() {
    request(N2, 1);
    request(N3, 1);
    assertThat(sent).extracting(Sent::to).containsExactly(N2, N3);
    sent.get(0).confirm(0);
    sent.get(1).confirm();
    assertThat(results).containsExactly("1 true", "1 false");
  }

  /** Also those whose former confirmation is in the response. */
  @Test
  void groupsOfOneIterationShareARequest() {
    isInIteration = true;
    request(N2, 1);
    request(N2, 2);
    iteration.remove().run();
    assertThat(sent.get(0).groups()).containsExactly(group(1), group(2));
    request(N2, 3);
    sender.request(N2, group(4), confirmed -> request(N2, 5));
    sent.get(0).confirm(0, 1);
    iteration.remove().run();
    sent.get(1).confirm(0, 1);
    request(N2, 6);
    iteration.remove().run();
    assertThat(sent.get(2).groups()).containsExactly(group(5), group(6));
    assertThat(iteration).isEmpty();
  }

  @Test
  void groupsShareTheRequestAfterTheOneInFlight() {
    timer.shutdownNow();
    request(N2, 1);
    request(N2, 2);
    request(N2, 3);
    assertThat(sent).hasSize(1);
    sent.get(0).confirm(0);
    assertThat(sent).hasSize(2);
    assertThat(sent.get(1).groups()).containsExactly(group(2), group(3));
    sent.get(1).confirm(1);
    assertThat(results).containsExactly("1 true", "2 false", "3 true");
  }

  /** As on a slow network. */
  @Test
  void aRequestDoesNotWaitForALateResponse() {
    request(N2, 1);
    request(N2, 2);
    await().until(() -> sent.size() == 2);
    assertThat(results).isEmpty();
    sent.get(1).confirm(0);
    assertThat(results).containsExactly("2 true");
  }

  @Test
  void requestsInFlightAreBounded() {
    for (int i = 1; i <= 10 * ConfirmationSender.IN_FLIGHT_MAX; i++) {
      request(N2, i);
      int number = i;
      if (i <= ConfirmationSender.IN_FLIGHT_MAX) {
        await().until(() -> sent.size() == number);
      }
    }
    assertThat(sent).hasSize(ConfirmationSender.IN_FLIGHT_MAX);
    sent.get(0).confirm(0);
    assertThat(sent).hasSize(ConfirmationSender.IN_FLIGHT_MAX + 1);
  }

  /** So that a node that does not respond collects no more of them than there are groups. */
  @Test
  void aLaterRequestOfTheSameGroupReplacesOneThatWaits() {
    timer.shutdownNow();
    request(N2, 1);
    request(N2, 2);
    sender.request(N2, group(2), confirmed -> results.add("later " + confirmed));
    sent.get(0).confirm(0);
    assertThat(sent.get(1).groups()).containsExactly(group(2));
    sent.get(1).confirm(0);
    assertThat(results).containsExactly("1 true", "later true");
  }

  @Test
  void aNodeThatFailsIsSparedForAWhile() {
    timer.shutdownNow();
    request(N2, 1);
    request(N2, 2);
    sent.get(0).response().completeExceptionally(new IOException("lost"));
    assertThat(results).containsExactly("1 false", "2 false");
    request(N2, 3);
    assertThat(sent).hasSize(1);
    assertThat(results).endsWith("3 false");
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    request(N2, 4);
    assertThat(sent).hasSize(2);
  }
}
