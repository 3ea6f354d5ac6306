package io.quorate.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.internal.call.FlowController.Demand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FlowControllerTest {
  private final List<String> admitted = new ArrayList<>();

  private final class TestCandidate implements FlowController.Candidate {
    private final String name;
    private final FlowController.Ticket ticket;

    TestCandidate(String name, FlowController.Ticket ticket) {
      this.name = name;
      this.ticket = ticket;
    }

    @Override
    public FlowController.Ticket ticket() {
      return ticket;
    }

    @Override
    public void admitted() {
      admitted.add(name);
    }
  }

  private TestCandidate write(FlowController controller, String name, long cost) {
    return new TestCandidate(name, controller.tryEnter(new Demand(cost, false)).orElseThrow());
  }

  private TestCandidate read(FlowController controller, String name, long cost) {
    return new TestCandidate(name, controller.tryEnter(new Demand(cost, true)).orElseThrow());
  }

  @Test
  void callsAreAdmittedInOrderWithinBothBounds() {
    FlowController controller = new FlowController(2, 100, 10, 1000);
    TestCandidate a = write(controller, "a", 60);
    TestCandidate b = write(controller, "b", 60);
    TestCandidate c = write(controller, "c", 10);
    assertThat(controller.admit(a)).isTrue();
    assertThat(controller.admit(b)).as("beyond the bound on bytes").isFalse();
    assertThat(controller.admit(c)).as("queued after b").isFalse();
    controller.release(a);
    assertThat(admitted).containsExactly("b", "c");
    assertThat(controller.calls()).isEqualTo(2);
  }

  @Test
  void releasingAWaitingCallAdmitsTheNext() {
    FlowController controller = new FlowController(2, 100, 10, 1000);
    TestCandidate a = write(controller, "a", 60);
    TestCandidate b = write(controller, "b", 60);
    TestCandidate c = write(controller, "c", 10);
    for (TestCandidate candidate : List.of(a, b, c)) {
      controller.admit(candidate);
    }
    controller.release(b);
    assertThat(admitted).containsExactly("c");
    assertThat(controller.waitingCalls()).isZero();
  }

  @Test
  void aCallThatGoesOnEntersBeyondTheBoundsAndItsBytesCount() {
    FlowController controller = new FlowController(1, 100, 1, 100);
    TestCandidate a = write(controller, "a", 100);
    TestCandidate b = write(controller, "b", 100);
    TestCandidate again = new TestCandidate("again", controller.enterAgain(new Demand(50, false)));
    assertThat(controller.admit(a)).isTrue();
    assertThat(controller.admit(again)).as("admission is the same for all").isFalse();
    controller.exit(b.ticket());
    assertThat(controller.tryEnter(new Demand(51, false))).isEmpty();
    controller.release(a);
    assertThat(admitted).containsExactly("again");
    controller.release(again);
    assertThat(controller.enteredCalls()).isZero();
    assertThat(controller.tryEnter(new Demand(200, false))).isPresent();
  }

  @Test
  void aRejectedCallReservesNothing() {
    FlowController controller = new FlowController(1, 100, 1, 100);
    FlowController.Ticket first = controller.tryEnter(new Demand(50, false)).orElseThrow();
    assertThat(controller.tryEnter(new Demand(151, false)))
        .as("beyond the bound on bytes")
        .isEmpty();
    assertThat(controller.tryEnter(new Demand(50, false))).isPresent();
    assertThat(controller.tryEnter(new Demand(1, false))).as("beyond the bound on calls").isEmpty();
    controller.exit(first);
    assertThat(controller.tryEnter(new Demand(100, false))).isPresent();
  }

  @Test
  void readsPassALoadOfWritesWithinTheirReserve() {
    FlowController controller = new FlowController(8, 800, 8, 800);
    List<TestCandidate> writes = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      writes.add(write(controller, "write", 1));
      assertThat(controller.admit(writes.get(i))).isEqualTo(i < 8);
    }
    assertThat(controller.tryEnter(new Demand(1, false))).isEmpty();
    TestCandidate first = read(controller, "first read", 1);
    TestCandidate second = read(controller, "second read", 1);
    assertThat(controller.tryEnter(new Demand(1, true)))
        .as("a reserve of two of sixteen")
        .isEmpty();
    assertThat(controller.admit(first)).isTrue();
    assertThat(controller.admit(second)).as("a reserve of one of eight").isFalse();
    controller.release(first);
    assertThat(admitted).containsExactly("second read");
    controller.release(second);
    writes.forEach(controller::release);
    assertThat(controller.enteredCalls() + controller.calls() + controller.waitingCalls()).isZero();
  }

  @Test
  void readsBeyondTheReserveWaitInTheirOrderAmongWrites() {
    FlowController controller = new FlowController(8, 800, 8, 800);
    List<TestCandidate> reads = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      reads.add(read(controller, "read", 1));
      assertThat(controller.admit(reads.get(i))).isEqualTo(i < 9);
    }
    assertThat(controller.admit(write(controller, "write", 1))).isFalse();
    controller.release(reads.get(0));
    controller.release(reads.get(1));
    assertThat(admitted).containsExactly("read", "write");
  }

  @Test
  void aReadWaitsWithItsRequestAloneAndHasItsResponseInFlight() {
    FlowController controller = new FlowController(10, 100, 10, 20);
    List<TestCandidate> scans = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Demand scan = new Demand(1, 50, true);
      scans.add(new TestCandidate("scan", controller.tryEnter(scan).orElseThrow()));
      assertThat(controller.admit(scans.get(i))).isEqualTo(i < 2);
    }
    assertThat(controller.tryEnter(new Demand(20, false))).as("beyond 100 + 1").isEmpty();
    FlowController.Ticket write = controller.tryEnter(new Demand(19, false)).orElseThrow();
    scans.forEach(controller::release);
    assertThat(admitted).containsExactly("scan");
    controller.exit(write);
    assertThat(controller.tryEnter(new Demand(120, false))).as("all is released").isPresent();
  }

  @Test
  void aThreadThatBlocksEntersWhenACallExits() throws Exception {
    FlowController controller = new FlowController(1, 100, 0, 0);
    FlowController.Ticket first = controller.tryEnter(new Demand(1, false)).orElseThrow();
    assertThat(controller.enterWithin(new Demand(1, false), 1)).as("after its time").isEmpty();
    List<CompletableFuture<Boolean>> blocked = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      blocked.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  Optional<FlowController.Ticket> ticket =
                      controller.enterWithin(new Demand(1, false), TimeUnit.SECONDS.toNanos(60));
                  ticket.ifPresent(controller::exit);
                  return ticket.isPresent();
                } catch (InterruptedException e) {
                  return false;
                }
              },
              task -> new Thread(task).start()));
    }
    controller.exit(first);
    for (CompletableFuture<Boolean> thread : blocked) {
      assertThat(thread.get()).isTrue();
    }
  }
}
