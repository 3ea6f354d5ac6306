package io.quorate.torture.simulation;

import io.quorate.model.Position;
import io.quorate.rabia.core.Mutation;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Ballot;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.LogRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A log and the durable state of a state machine. A crash loses the unsynced records, except
 * perhaps the first of them.
 */
final class SimulatedDisk {
  private static final int SEGMENT_RECORDS = 7;

  private final List<LogRecord> synced = new ArrayList<>();
  private final List<Effect.Persist> unsynced = new ArrayList<>();
  private final Mutation mutation;
  private final Consumer<LogRecord> onDurable;
  private SimulatedMachine state = new SimulatedMachine();

  /**
   * @param onDurable called with each record that becomes durable
   */
  SimulatedDisk(Mutation mutation, Consumer<LogRecord> onDurable) {
    this.mutation = mutation;
    this.onDurable = onDurable;
  }

  void append(Effect.Persist record) {
    unsynced.add(record);
  }

  boolean hasUnsynced() {
    return !unsynced.isEmpty();
  }

  boolean hasUrgent() {
    return unsynced.stream().anyMatch(record -> !record.lazily());
  }

  /** The last unsynced record; {@link Lsn#START} if there is none. */
  Lsn last() {
    return unsynced.isEmpty() ? Lsn.START : unsynced.get(unsynced.size() - 1).lsn();
  }

  /** Makes all records up to a position durable. */
  void sync(Lsn through) {
    while (!unsynced.isEmpty() && !unsynced.get(0).lsn().isAfter(through)) {
      keep(unsynced.remove(0).record());
    }
  }

  private void keep(LogRecord record) {
    synced.add(record);
    onDurable.accept(record);
  }

  /** Simulates power loss, which the first {@code surviving} unsynced records survive. */
  void crash(int surviving) {
    for (int i = 0; i < Math.min(surviving, unsynced.size()); i++) {
      keep(unsynced.get(i).record());
    }
    unsynced.clear();
    synced.removeIf(this::isLostByMutation);
    if (mutation == Mutation.LOST_STATES_VOTE_UNDECIDED) {
      voteUndecided();
    }
  }

  /** Replaces each state whose slot has no vote of the same phase by an undecided vote. */
  private void voteUndecided() {
    for (int i = 0; i < synced.size(); i++) {
      if (synced.get(i) instanceof LogRecord.StateChosen state && hasNoVote(state)) {
        LogRecord vote =
            new LogRecord.Voted(state.at(), state.phase(), Ballot.UNDECIDED, state.candidate());
        synced.set(i, vote);
        onDurable.accept(vote);
      }
    }
  }

  private boolean hasNoVote(LogRecord.StateChosen state) {
    return synced.stream()
        .noneMatch(
            record ->
                record instanceof LogRecord.Voted vote
                    && vote.at().equals(state.at())
                    && vote.phase() == state.phase());
  }

  int unsynced() {
    return unsynced.size();
  }

  private boolean isLostByMutation(LogRecord record) {
    return switch (mutation) {
      case VOTES_ARE_LOST -> record instanceof LogRecord.Voted;
      case STATES_ARE_LOST ->
          record instanceof LogRecord.StateChosen || record instanceof LogRecord.Voted;
      case PROPOSALS_ARE_LOST ->
          record instanceof LogRecord.OfSlot && !(record instanceof LogRecord.SlotDecided);
      default -> false;
    };
  }

  /**
   * Deletes whole segments as the log does, the oldest first: up to the one with the newest covered
   * checkpoint, or with a record of a later slot. So the log may begin between any two records.
   */
  void truncate(Position through) {
    int needed = newestCheckpoint(through) / SEGMENT_RECORDS * SEGMENT_RECORDS;
    int deleted = 0;
    while (deleted < needed
        && synced.subList(deleted, deleted + SEGMENT_RECORDS).stream()
            .noneMatch(record -> isOfSlotAfter(record, through))) {
      deleted += SEGMENT_RECORDS;
    }
    synced.subList(0, deleted).clear();
  }

  /** The index of the newest checkpoint up to a position; 0 if there is none. */
  private int newestCheckpoint(Position through) {
    for (int i = synced.size() - 1; i > 0; i--) {
      if (synced.get(i) instanceof LogRecord.Checkpointed c
          && through.covers(c.checkpoint().at())) {
        return i;
      }
    }
    return 0;
  }

  private static boolean isOfSlotAfter(LogRecord record, Position through) {
    return record instanceof LogRecord.OfSlot ofSlot && ofSlot.at().index() > through.index();
  }

  List<LogRecord> records() {
    return synced;
  }

  /**
   * Whether the log, synced or not, has the batch body of the slot, or the durable state covers the
   * slot.
   */
  boolean holdsBody(Position at, BatchId id) {
    return state.position().covers(at)
        || Stream.concat(synced.stream(), unsynced.stream().map(Effect.Persist::record))
            .anyMatch(record -> isBody(record, at, id));
  }

  private static boolean isBody(LogRecord record, Position at, BatchId id) {
    return switch (record.kind()) {
      case PROPOSED -> {
        LogRecord.Proposed proposed = (LogRecord.Proposed) record;
        yield proposed.at().equals(at) && proposed.batch().isPresent() && proposed.id().equals(id);
      }
      case SLOT_DECIDED -> {
        LogRecord.SlotDecided decided = (LogRecord.SlotDecided) record;
        yield decided.at().equals(at) && decided.decided().batch().isPresent();
      }
      case RESERVATION, STATE_CHOSEN, VOTED, CHECKPOINTED -> false;
    };
  }

  /**
   * The newest checkpoint in the log that the durable state covers; the initial one if there is
   * none.
   */
  Checkpoint checkpoint(Checkpoint initial) {
    Checkpoint newest = initial;
    for (LogRecord record : synced) {
      if (record instanceof LogRecord.Checkpointed c
          && state.position().covers(c.checkpoint().at())
          && c.checkpoint().at().compareTo(newest.at()) > 0) {
        newest = c.checkpoint();
      }
    }
    return newest;
  }

  void storeState(SimulatedMachine machine) {
    if (machine.position().compareTo(state.position()) >= 0) {
      state = machine;
    }
  }

  SimulatedMachine loadState() {
    return state.copy();
  }
}
