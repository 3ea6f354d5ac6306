package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.ReadReply;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract between a replica and its driver. */
class ReplicaTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final KeyScope K = KeyScope.key(Key.utf8("k"));

  private final Checkpoint initial =
      Checkpoint.initial(Configuration.first(List.of(member(N1), member(N2), member(N3))));
  private final List<LogRecord> log = new ArrayList<>();
  private Replica replica = replica(Settings.DEFAULT);

  private static Member member(NodeId id) {
    return new Member(id, InetSocketAddress.createUnresolved(id.value(), 1));
  }

  private Replica replica(Settings settings) {
    return new Replica(N1, 0, settings, initial, Position.NONE, command -> K);
  }

  private static Settings withInFlight(int inFlight, int waiting) {
    return new Settings(
        Settings.Policy.OWNED,
        1024,
        Settings.Timing.DEFAULT,
        Settings.Bounds.DEFAULT.toBuilder().inFlight(inFlight).waitingCommands(waiting).build());
  }

  private List<Effect> step(Input input) {
    List<Effect> effects = replica.step(0, input);
    for (Effect effect : effects) {
      if (effect instanceof Effect.Persist persist) {
        log.add(persist.record());
      }
    }
    return effects;
  }

  private static <T> List<T> only(List<Effect> effects, Class<T> type) {
    return effects.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private static ByteBuffer command(int number) {
    return ByteBuffer.allocate(4).putInt(number).flip();
  }

  @Test
  void everyProposalWaitsForItsRecordAndContentForTheReservation() {
    step(new Input.Started());
    List<Effect> effects = step(new Input.Propose(List.of(command(1))));

    Lsn proposed = only(effects, Effect.Persist.class).get(0).lsn();
    assertThat(only(effects, Effect.Send.class))
        .anySatisfy(
            send -> {
              assertThat(send.message()).isInstanceOf(Message.Proposal.class);
              assertThat(send.after()).isEqualTo(proposed);
            })
        .anySatisfy(
            send -> {
              assertThat(send.message()).isInstanceOf(Message.Content.class);
              assertThat(send.after().isAfter(Lsn.START)).isTrue();
              assertThat(proposed.isAfter(send.after())).isTrue();
            });
  }

  /** O4: reservations are far ahead of their use. */
  @Test
  void contentNeverWaitsForANewReservation() {
    replica = replica(withInFlight(1_000, 1_000));
    run(new Input.Started());
    int reservations = 0;
    for (int i = 0; i < 150; i++) {
      List<Effect> effects = step(new Input.Propose(List.of(command(i))));
      assertThat(only(effects, Effect.Send.class))
          .filteredOn(send -> send.message() instanceof Message.Content)
          .singleElement()
          .satisfies(send -> assertThat(send.after()).isEqualTo(new Lsn(1)));
      reservations +=
          (int)
              only(effects, Effect.Persist.class).stream()
                  .filter(persist -> persist.record() instanceof LogRecord.Reservation)
                  .count();
    }
    assertThat(reservations).isEqualTo(1);
  }

  @Test
  void aReplicaDoesNotCountItsProposalBeforeItIsDurable() {
    step(new Input.Started());
    step(new Input.Propose(List.of(command(1))));
    Batch batch = proposedBatch();
    Message.Proposal proposal = new Message.Proposal(new Position(1, 0), batch.id());
    assertThat(only(step(new Input.Received(N2, proposal)), Effect.Execute.class)).isEmpty();
    assertThat(only(step(new Input.Received(N3, proposal)), Effect.Execute.class)).isEmpty();

    List<Effect> effects = step(new Input.Durable(new Lsn(log.size())));

    assertThat(only(effects, Effect.Execute.class))
        .containsExactly(new Effect.Execute(new Position(1, 0), Optional.of(batch)));
  }

  private Batch proposedBatch() {
    return log.stream()
        .filter(LogRecord.Proposed.class::isInstance)
        .map(record -> ((LogRecord.Proposed) record).batch().orElseThrow())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void commandsWaitForTheNextBatchWhileBatchesAreInFlight() {
    replica = replica(withInFlight(1, 100));
    step(new Input.Started());
    step(new Input.Durable(new Lsn(1)));
    List<Effect> effects = step(new Input.Propose(List.of(command(0))));
    assertThat(only(effects, Effect.Batched.class)).hasSize(1);
    for (int i = 1; i <= 5; i++) {
      effects = step(new Input.Propose(List.of(command(i))));
      assertThat(only(effects, Effect.Batched.class)).isEmpty();
    }

    Batch first = proposedBatch();
    Message.Decision decision = new Message.Decision(new Position(1, 0), first.id());
    effects = step(new Input.Received(N2, decision));

    assertThat(only(effects, Effect.Batched.class))
        .singleElement()
        .satisfies(batched -> assertThat(batched.commands()).isEqualTo(5));
  }

  @Test
  void commandsBeyondTheQueueCapacityAreRefused() {
    replica = replica(withInFlight(1, 2));
    step(new Input.Started());
    step(new Input.Propose(List.of(command(0))));

    List<Effect> effects =
        step(new Input.Propose(List.of(command(1), command(2), command(3), command(4))));

    assertThat(only(effects, Effect.Refused.class))
        .containsExactly(new Effect.Refused(2, Effect.Refused.Reason.FULL));
  }

  @Test
  void aRestartedReplicaSendsItsProposalsAgain() {
    step(new Input.Started());
    step(new Input.Propose(List.of(command(1))));
    Batch batch = proposedBatch();

    replica = replica(Settings.DEFAULT);
    for (LogRecord record : List.copyOf(log)) {
      assertThat(replica.step(0, new Input.Replayed(record))).isEmpty();
    }
    step(new Input.Started());

    // Q4: the proposed slot is still pending.
    ReadReply<Void> readReply = replica.reply(K).orElseThrow();
    assertThat(readReply.pending().index()).isZero();
    List<Effect> effects = step(new Input.Connected(N2));
    assertThat(only(effects, Effect.Send.class))
        .extracting(Effect.Send::message)
        .contains(
            new Message.Proposal(new Position(1, 0), batch.id()),
            new Message.Content(new Position(1, 0), batch));
  }

  /** O4: content may have been sent for slots that an earlier run reserved. */
  @Test
  void slotsReservedByAnEarlierRunAreNeverSkipped() {
    step(new Input.Started());
    replica = replica(Settings.DEFAULT);
    log.forEach(record -> replica.step(0, new Input.Replayed(record)));
    List<Effect> effects = step(new Input.Started());
    Lsn started = only(effects, Effect.Persist.class).get(0).lsn();
    step(new Input.Durable(started));

    Batch batch = Batch.of(N2, 0, 0, 0, new Body.Commands(List.of(command(1))));
    effects = step(new Input.Received(N2, new Message.Content(new Position(1, 1), batch)));

    List<Message> sent =
        only(effects, Effect.Send.class).stream().map(Effect.Send::message).toList();
    assertThat(sent)
        .contains(new Message.Proposal(new Position(1, 0), BatchId.NONE))
        .noneMatch(Message.Skip.class::isInstance);
  }

  /** An owner decides its skip no earlier than another replica could receive it. */
  @Test
  void anOwnSkipDecidesNothingBeforeItsReservationIsDurable() {
    List<Effect> effects = step(new Input.Started());
    Lsn reserved = only(effects, Effect.Persist.class).get(0).lsn();
    Batch batch = Batch.of(N2, 0, 0, 0, new Body.Commands(List.of(command(1))));
    effects = step(new Input.Received(N2, new Message.Content(new Position(1, 1), batch)));
    assertThat(only(effects, Effect.Execute.class)).isEmpty();

    effects = step(new Input.Durable(reserved));

    assertThat(only(effects, Effect.Execute.class))
        .containsExactly(new Effect.Execute(new Position(1, 0), Optional.empty()));
  }

  /** Of a former replica, or of another node. */
  @Test
  void theLogOfAReplicaThatIsNoMemberIsRefused() {
    step(new Input.Started());
    step(new Input.Propose(List.of(command(1))));
    Replica stranger =
        new Replica(new NodeId("n9"), 0, Settings.DEFAULT, initial, Position.NONE, command -> K);
    assertThatThrownBy(() -> log.forEach(record -> stranger.step(0, new Input.Replayed(record))))
        .isInstanceOf(ReplayException.class)
        .hasMessageContaining("of which it is no member");
  }

  @Test
  void inputsInTheWrongStateAreRefused() {
    assertThatThrownBy(() -> replica.step(0, new Input.Tick()))
        .isInstanceOf(IllegalStateException.class);
    step(new Input.Started());
    assertThatThrownBy(() -> replica.step(0, new Input.Replayed(new LogRecord.Reservation(1, 2))))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aMessageBeyondTheWindowIsDroppedAndDecisionsAreFetched() {
    step(new Input.Started());
    Position far = new Position(1, 5_000);
    Message.State state = new Message.State(far, 1, false, BatchId.NONE);

    List<Effect> effects = step(new Input.Received(N2, state));

    assertThat(replica.counters().beyondWindow()).isEqualTo(1);
    assertThat(only(effects, Effect.Send.class))
        .extracting(Effect.Send::message)
        .contains(new Message.FetchDecisions(0));
  }

  /**
   * S3: a former replica of the node may have voted and replied in the configuration, and this one,
   * whose state is of another replica that is behind, does not know how.
   */
  @Test
  void aReplicaThatReturnedIsNoMemberByEarlierChanges() {
    Batch batch = Batch.of(N2, 0, 0, 0, new Body.Commands(List.of(command(1))));
    Position next = new Position(4, 9003);
    Input content = new Input.Received(N2, new Message.Content(next, batch));

    replica = restored(0);
    step(new Input.Started());
    assertThat(replica.reply(K)).isPresent();
    assertThat(recordsOfSlots(step(content))).isNotEmpty();

    replica = restored(Configuration.firstEpoch(1));
    assertThat(recordsOfSlots(step(new Input.Started()))).isEmpty();
    assertThat(replica.reply(K)).isEmpty();
    assertThat(recordsOfSlots(step(content))).isEmpty();
    assertThat(replica.isMember()).isFalse();
    List<Effect> effects = step(new Input.Propose(List.of(command(2))));
    assertThat(only(effects, Effect.Refused.class))
        .extracting(Effect.Refused::reason)
        .containsExactly(Effect.Refused.Reason.NO_MEMBER);
  }

  /** The response was sent to a former replica of the node. */
  @Test
  void aReplicaThatDoesNotKnowItsGroupLearnsNoDecisions() {
    Configuration unknown = new Configuration(0, 0, List.of(member(N2), member(N3)));
    replica =
        new Replica(
            N1, 0, Settings.DEFAULT, Checkpoint.initial(unknown), Position.NONE, command -> K);
    step(new Input.Started());
    List<Effect> effects =
        step(new Input.Received(N2, new Message.Decisions(0, List.of(Decided.NULL))));

    assertThat(recordsOfSlots(effects)).isEmpty();
    assertThat(only(effects, Effect.Execute.class)).isEmpty();
    assertThat(replica.counters().foreign()).isEqualTo(1);
  }

  private static List<LogRecord> recordsOfSlots(List<Effect> effects) {
    return only(effects, Effect.Persist.class).stream()
        .map(Effect.Persist::record)
        .filter(LogRecord.OfSlot.class::isInstance)
        .toList();
  }

  /** Of n2, n1 and n3 in epoch 4, which the state has reached. */
  private Replica restored(long firstEpoch) {
    Configuration configuration =
        new Configuration(4, 100, List.of(member(N2), member(N1), member(N3)));
    Checkpoint checkpoint = new Checkpoint(new Position(4, 9000), List.of(configuration), Map.of());
    return new Replica(N1, firstEpoch, Settings.DEFAULT, checkpoint, checkpoint.at(), command -> K);
  }

  @Test
  void theEpochOfAConfigurationShowsTheChange() {
    Checkpoint alone = Checkpoint.initial(Configuration.first(List.of(member(N1))));
    replica = new Replica(N1, 0, Settings.DEFAULT, alone, Position.NONE, command -> K);
    run(new Input.Started());
    run(new Input.Reconfigure(List.of(member(N1), member(N2)), 7));
    step(new Input.Executed(new Position(1, 0)));
    assertThat(replica.latestConfiguration().epoch()).isEqualTo(Configuration.firstEpoch(7));
  }

  /** Q7, S2: read replies resume exactly alpha slots later. */
  @Test
  void afterAReconfigurationReadRepliesWaitUntilItTakesEffect() {
    Settings settings = Settings.DEFAULT;
    Checkpoint alone = Checkpoint.initial(Configuration.first(List.of(member(N1))));
    replica = new Replica(N1, 0, settings, alone, Position.NONE, command -> K);
    run(new Input.Started());
    assertThat(replica.reply(K)).isPresent().get().extracting(ReadReply::epoch).isEqualTo(1L);

    List<Effect> effects = step(new Input.Reconfigure(List.of(member(N1), member(N2)), 0));
    assertThat(replica.reply(K).orElseThrow().pending().index()).isZero();
    effects = step(new Input.Durable(lastLsn(effects)));
    assertThat(only(effects, Effect.Execute.class)).hasSize(1);

    effects = step(new Input.Executed(new Position(1, 0)));
    assertThat(replica.latestConfiguration().epoch()).isEqualTo(2);
    assertThat(replica.latestConfiguration().start()).isEqualTo(settings.alpha());
    assertThat(replica.reply(K)).isEmpty();

    // Without proposals, the replica skips its slots up to the new configuration at once.
    List<Effect.Execute> executions = new ArrayList<>(only(effects, Effect.Execute.class));
    executions.addAll(only(step(new Input.Durable(lastLsn(effects))), Effect.Execute.class));
    assertThat(executions).hasSize(settings.alpha() - 1);
    step(new Input.Executed(new Position(1, settings.alpha() - 2)));
    assertThat(replica.reply(K)).isEmpty();
    step(new Input.Executed(new Position(1, settings.alpha() - 1)));
    assertThat(replica.reply(K).orElseThrow())
        .satisfies(
            readReply -> {
              assertThat(readReply.epoch()).isEqualTo(2);
              assertThat(readReply.quorum()).isEqualTo(1);
            });
  }

  /** Steps the replica, and reports the records that it writes durable. */
  private void run(Input input) {
    step(new Input.Durable(lastLsn(step(input))));
  }

  private static Lsn lastLsn(List<Effect> effects) {
    List<Effect.Persist> records = only(effects, Effect.Persist.class);
    return records.get(records.size() - 1).lsn();
  }
}
