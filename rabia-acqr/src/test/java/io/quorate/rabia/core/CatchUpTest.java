package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A replica that is behind fetches decisions, or a snapshot where that is needed. */
class CatchUpTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  private final Checkpoint initial =
      Checkpoint.initial(Configuration.first(List.of(member(N1), member(N2), member(N3))));

  private static Member member(NodeId id) {
    return new Member(id, InetSocketAddress.createUnresolved(id.value(), 1));
  }

  private static <T> List<T> only(List<Effect> effects, Class<T> type) {
    return effects.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** The peers of a replica that has executed nothing, one or both far ahead, and the time. */
  private final class Fetching {
    private final Replica replica =
        new Replica(
            N1,
            0,
            Settings.DEFAULT,
            initial,
            Position.NONE,
            command -> KeyScope.key(Key.utf8("k")));
    private final NodeId first;
    private long now;

    private Fetching() {
      this(N2, N3);
    }

    private Fetching(NodeId... ahead) {
      replica.step(0, new Input.Started());
      for (NodeId peer : ahead) {
        replica.step(0, new Input.Received(peer, new Message.Status(new Position(1, 900))));
      }
      first = requested(tickAfter(Settings.Timing.DEFAULT.status())).orElseThrow();
    }

    private List<Effect> tickAfter(long nanos) {
      now += nanos;
      return replica.step(now, new Input.Tick());
    }

    /** The peer to which this step sends a request for decisions; empty if there is none. */
    private Optional<NodeId> requested(List<Effect> effects) {
      return only(effects, Effect.Send.class).stream()
          .filter(send -> send.message() instanceof Message.FetchDecisions)
          .map(send -> send.to().get(0))
          .findFirst();
    }

    /** Lets the present request time out, however long its timeout is. */
    private List<Effect> timeOut() {
      return tickAfter(Settings.Timing.DEFAULT.retransmission() << 4);
    }

    private List<Effect> decisionWithoutBody(NodeId from) {
      Batch batch = Batch.of(N3, 0, 0, 0, new Body.Commands(List.of(ByteBuffer.allocate(4))));
      Decided decided = new Decided(batch.id(), Optional.empty());
      return replica.step(
          now, new Input.Received(from, new Message.Decisions(0, List.of(decided))));
    }

    private List<Effect> offer(NodeId from) {
      Checkpoint there = new Checkpoint(new Position(1, 800), initial.configurations(), Map.of());
      return replica.step(now, new Input.Received(from, new Message.SnapshotOffer(there)));
    }
  }

  private static NodeId other(NodeId peer) {
    return peer.equals(N2) ? N3 : N2;
  }

  @Test
  void aPeerThatRespondsLateOnceIsRequestedAgainBeforeASnapshot() {
    Fetching fetching = new Fetching();
    NodeId late = fetching.first;
    assertThat(fetching.requested(fetching.timeOut())).contains(other(late));

    List<Effect> effects = fetching.offer(other(late));
    assertThat(only(effects, Effect.FetchSnapshot.class)).isEmpty();
    assertThat(fetching.requested(effects)).contains(late);
  }

  @Test
  void theSnapshotOfOnePeerIsFetchedOnceTheOtherOneDoesNotRespondRepeatedly() {
    Fetching fetching = new Fetching();
    NodeId mute = fetching.first;
    assertThat(fetching.requested(fetching.timeOut())).contains(other(mute));
    assertThat(fetching.requested(fetching.offer(other(mute)))).contains(mute);
    assertThat(fetching.requested(fetching.timeOut())).contains(mute);

    assertThat(only(fetching.timeOut(), Effect.FetchSnapshot.class))
        .singleElement()
        .satisfies(fetch -> assertThat(fetch.from()).isEqualTo(other(mute)));
  }

  /** The log of a peer can begin between the record with a body and that of its decision. */
  @Test
  void aSnapshotIsFetchedIfNoPeerHasTheBodyOfTheNextSlot() {
    Fetching fetching = new Fetching();
    NodeId first = fetching.first;
    assertThat(fetching.requested(fetching.decisionWithoutBody(first))).contains(other(first));
    List<Effect> effects = fetching.decisionWithoutBody(other(first));
    assertThat(only(effects, Effect.Send.class))
        .extracting(Effect.Send::message)
        .contains(new Message.FetchDecisions(-1));
    NodeId offering = fetching.requested(effects).orElseThrow();
    assertThat(fetching.requested(fetching.offer(offering))).contains(other(offering));
    assertThat(only(fetching.decisionWithoutBody(other(offering)), Effect.FetchSnapshot.class))
        .singleElement()
        .satisfies(fetch -> assertThat(fetch.from()).isEqualTo(offering));
  }

  /** As in a group of three that has lost one: the other two can decide nothing without it. */
  @Test
  void aSnapshotIsFetchedIfTheOnlyPeerDoesNotHaveTheBodyOfTheNextSlot() {
    Fetching fetching = new Fetching(N2);
    assertThat(fetching.requested(fetching.decisionWithoutBody(N2))).contains(N2);
    assertThat(only(fetching.offer(N2), Effect.FetchSnapshot.class)).hasSize(1);
  }

  @Test
  void aSnapshotIsFetchedFromThePeerWithoutTheBodyWhileTheOtherOneIsDown() {
    for (NodeId down : List.of(N2, N3)) {
      Fetching fetching = new Fetching();
      Optional<NodeId> asked = Optional.of(fetching.first);
      boolean wantsSnapshot = false;
      for (int i = 0; i < 20 && !(wantsSnapshot && asked.get().equals(other(down))); i++) {
        List<Effect> effects =
            wantsSnapshot || asked.get().equals(down)
                ? fetching.timeOut()
                : fetching.decisionWithoutBody(other(down));
        asked = fetching.requested(effects);
        wantsSnapshot =
            only(effects, Effect.Send.class).stream()
                .anyMatch(send -> send.message().equals(new Message.FetchDecisions(-1)));
      }
      assertThat(wantsSnapshot).as("%s is down", down).isTrue();
      assertThat(asked).as("%s is down", down).contains(other(down));
    }
  }

  @Test
  void theSnapshotIsFetchedAtOnceIfEveryPeerOffersOne() {
    Fetching fetching = new Fetching();
    NodeId first = fetching.first;
    List<Effect> effects = fetching.offer(first);
    assertThat(fetching.requested(effects)).contains(other(first));
    assertThat(only(fetching.offer(other(first)), Effect.FetchSnapshot.class)).hasSize(1);
  }
}
