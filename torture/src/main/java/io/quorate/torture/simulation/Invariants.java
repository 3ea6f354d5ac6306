package io.quorate.torture.simulation;

import static io.quorate.torture.simulation.Violation.require;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.Mutation;
import io.quorate.rabia.protocol.Ballot;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the invariants of a group after every effect. The numbers in parentheses are those of the
 * table in docs/protocols.md.
 */
final class Invariants {
  private record SentKey(NodeId sender, long slot, int phase, String type) {}

  private record Owned(NodeId owner, long slot) {}

  private record DurableRecord(NodeId node, LogRecord record) {}

  private record Request(int client, int sequence) {}

  private record ExecutedSlot(BatchId batch, long hash) {}

  private final Mutation mutation;
  private final int alpha;
  private final List<Configuration> configurations = new ArrayList<>();
  private final Map<SentKey, Message> sent = new HashMap<>();
  private final Map<Long, BatchId> candidates = new HashMap<>();
  private final Map<Long, BatchId> decisions = new HashMap<>();
  private final Map<Long, ExecutedSlot> executed = new HashMap<>();
  private final Map<Long, Map<NodeId, BatchId>> durableProposals = new HashMap<>();
  private final Set<DurableRecord> durable = new HashSet<>();
  private final Map<NodeId, LogRecord.Reservation> reservations = new HashMap<>();
  private final Set<Owned> contents = new HashSet<>();
  private final Set<Owned> skips = new HashSet<>();
  private final Map<Request, Position> effects = new HashMap<>();
  private final Map<Integer, Long> acknowledged = new HashMap<>();

  Invariants(Mutation mutation, int alpha, Configuration first) {
    this.mutation = mutation;
    this.alpha = alpha;
    configurations.add(first);
  }

  private Configuration at(long slot) {
    Configuration found = configurations.get(0);
    for (Configuration configuration : configurations) {
      if (configuration.start() <= slot) {
        found = configuration;
      }
    }
    return found;
  }

  /** How many configurations there have been. */
  int configurations() {
    return configurations.size();
  }

  Configuration latest() {
    return configurations.get(configurations.size() - 1);
  }

  /** The configuration before the latest; the first one if there is no other. */
  Configuration previous() {
    return configurations.get(Math.max(0, configurations.size() - 2));
  }

  /** The number of failed replicas that every configuration so far tolerates. */
  int faultsTolerated() {
    return configurations.stream().mapToInt(Configuration::faults).min().orElseThrow();
  }

  /** Called when a record of a node's log is durable. */
  void durable(NodeId node, LogRecord record) {
    durable.add(new DurableRecord(node, record));
    Runnable note =
        switch (record.kind()) {
          case PROPOSED -> () -> durable(node, (LogRecord.Proposed) record);
          case RESERVATION -> () -> reservations.put(node, (LogRecord.Reservation) record);
          case STATE_CHOSEN, VOTED, SLOT_DECIDED, CHECKPOINTED -> () -> {};
        };
    note.run();
  }

  private void durable(NodeId node, LogRecord.Proposed record) {
    if (record.batch().isPresent()) {
      durableProposals
          .computeIfAbsent(record.at().index(), slot -> new HashMap<>())
          .put(node, record.id());
    }
  }

  /** Called when a node's replica has decided a slot. */
  void decided(LogRecord.SlotDecided record) {
    long slot = record.at().index();
    BatchId id = record.decided().id();
    BatchId before = decisions.putIfAbsent(slot, id);
    require(
        before == null || before.equals(id),
        "(1)",
        () -> "slot " + slot + " is decided " + before + " and " + id);
    require(
        at(slot).epoch() == record.at().epoch(), "(11)", () -> "slot " + slot + " in wrong epoch");
    if (before == null && !id.isNone()) {
      long proposers =
          durableProposals.getOrDefault(slot, Map.of()).values().stream()
              .filter(id::equals)
              .count();
      require(
          proposers >= at(slot).majority(),
          "(5)",
          () -> "slot " + slot + " is decided " + id + " with " + proposers + " durable proposals");
    }
  }

  /** Called when a node sends a message. */
  void sent(NodeId from, Message message) {
    Runnable check =
        switch (message.kind()) {
          case PROPOSAL -> () -> checkProposal(from, (Message.Proposal) message);
          case STATE -> () -> checkState(from, (Message.State) message);
          case VOTE -> () -> checkVote(from, (Message.Vote) message);
          case CONTENT -> () -> checkContent(from, (Message.Content) message);
          case SKIP -> () -> checkSkip(from, (Message.Skip) message);
          case DECISION -> () -> checkDecision((Message.Decision) message);
          case REQUEST,
              INQUIRY,
              FETCH_BODY,
              FETCHED_BODY,
              FETCH_DECISIONS,
              DECISIONS,
              SNAPSHOT_OFFER,
              STATUS ->
              () -> {};
        };
    check.run();
  }

  private void checkProposal(NodeId from, Message.Proposal proposal) {
    checkUnique(from, proposal.at(), 0, "PROPOSAL", proposal);
    boolean implied =
        proposal.id().isNone()
            ? isDurable(from, new LogRecord.Proposed(proposal.at(), BatchId.NONE, Optional.empty()))
            : proposal
                .id()
                .equals(durableProposals.getOrDefault(proposal.at().index(), Map.of()).get(from));
    requireImplied(implied, from, proposal);
  }

  private void checkState(NodeId from, Message.State state) {
    checkUnique(from, state.at(), state.phase(), "STATE", state);
    checkCandidate(state.at().index(), state.candidate(), state.one());
    LogRecord record =
        new LogRecord.StateChosen(state.at(), state.phase(), state.one(), state.candidate());
    requireImplied(isDurable(from, record), from, state);
  }

  private void checkVote(NodeId from, Message.Vote vote) {
    checkUnique(from, vote.at(), vote.phase(), "VOTE", vote);
    checkCandidate(vote.at().index(), vote.candidate(), vote.ballot() == Ballot.ONE);
    checkVotes(vote);
    LogRecord record =
        new LogRecord.Voted(vote.at(), vote.phase(), vote.ballot(), vote.candidate());
    requireImplied(isDurable(from, record), from, vote);
  }

  private void checkDecision(Message.Decision decision) {
    require(
        decision.id().equals(decisions.get(decision.at().index())),
        "(1)",
        () -> "not the decision of its slot: " + decision);
  }

  private void checkUnique(NodeId from, Position at, int phase, String type, Message message) {
    Configuration members = at(at.index());
    require(
        members.contains(from) && members.epoch() == at.epoch(),
        "(11)",
        () -> from + " is no member in " + at);
    Message before = sent.putIfAbsent(new SentKey(from, at.index(), phase, type), message);
    require(
        before == null || before.equals(message),
        "(2)",
        () -> from + " sent " + before + " and " + message);
  }

  private void checkCandidate(long slot, BatchId candidate, boolean one) {
    require(
        !one || !candidate.isNone(), "(4)", () -> "value one without a candidate in slot " + slot);
    if (!candidate.isNone()) {
      BatchId before = candidates.putIfAbsent(slot, candidate);
      require(
          before == null || before.equals(candidate),
          "(4)",
          () -> "slot " + slot + " has the candidates " + before + " and " + candidate);
    }
  }

  private void checkVotes(Message.Vote vote) {
    if (vote.ballot() == Ballot.UNDECIDED) {
      return;
    }
    NodeId all = BatchId.NONE.origin();
    SentKey key = new SentKey(all, vote.at().index(), vote.phase(), vote.ballot().name());
    sent.putIfAbsent(key, vote);
    Ballot opposite = vote.ballot() == Ballot.ONE ? Ballot.ZERO : Ballot.ONE;
    require(
        !sent.containsKey(new SentKey(all, vote.at().index(), vote.phase(), opposite.name())),
        "(3)",
        () -> "both votes in phase " + vote.phase() + " of slot " + vote.at());
  }

  private boolean isDurable(NodeId node, LogRecord record) {
    return durable.contains(new DurableRecord(node, record));
  }

  private void requireImplied(boolean implied, NodeId from, Message message) {
    boolean allowed = mutation == Mutation.VOLATILE_PROPOSALS_ARE_SENT;
    require(
        implied || allowed, "(6)", () -> from + " sent before its record is durable: " + message);
  }

  private void checkContent(NodeId from, Message.Content content) {
    long slot = content.at().index();
    require(at(slot).owner(slot).equals(from), "O1", () -> from + " does not own " + slot);
    contents.add(new Owned(from, slot));
    require(
        !skips.contains(new Owned(from, slot)), "(10)", () -> "content after the skip of " + slot);
    checkReserved(from, slot);
  }

  private void checkSkip(NodeId from, Message.Skip skip) {
    for (long slot = skip.from().index(); slot <= skip.to(); slot++) {
      Owned given = new Owned(from, slot);
      if (at(slot).owner(slot).equals(from)) {
        skips.add(given);
        require(!contents.contains(given), "(10)", () -> "skip of issued slot: " + given);
        checkReserved(from, slot);
      }
    }
  }

  private void checkReserved(NodeId from, long slot) {
    LogRecord.Reservation reservation = reservations.get(from);
    require(
        reservation != null && slot < reservation.end(),
        "O4",
        () -> "slot " + slot + " not reserved");
  }

  /** Called when a node's state machine has executed a slot. */
  void executed(Position at, Optional<Batch> batch, long hash) {
    BatchId id = batch.map(Batch::id).orElse(BatchId.NONE);
    ExecutedSlot slot = new ExecutedSlot(id, hash);
    ExecutedSlot before = executed.putIfAbsent(at.index(), slot);
    require(
        before == null || before.equals(slot),
        "(7)",
        () -> "slot " + at + " executed as " + before + " and " + slot);
    if (before == null
        && batch.isPresent()
        && batch.get().body() instanceof Body.Reconfiguration change
        && change.basedOn() == latest().epoch()) {
      long epoch = Math.max(latest().epoch() + 1, Configuration.firstEpoch(change.number()));
      configurations.add(new Configuration(epoch, at.index() + alpha, change.members()));
    }
  }

  /** Called when a command takes effect at a node. */
  void effective(SimulatedCommand command, Position at) {
    Position before = effects.putIfAbsent(new Request(command.client(), command.sequence()), at);
    require(
        before == null || before.index() == at.index(),
        "(8)",
        () -> command + " takes effect at " + before + " and " + at);
  }

  /** Called when a client receives the acknowledgement of its write. */
  void acknowledged(SimulatedCommand command) {
    Position at = effects.get(new Request(command.client(), command.sequence()));
    require(at != null, "(9)", () -> command + " is acknowledged and has no effect");
    acknowledged.merge(command.key(), at.index(), Math::max);
  }

  /** The highest slot in which an acknowledged write of the key took effect, or -1 (14). */
  long acknowledged(int key) {
    return acknowledged.getOrDefault(key, -1L);
  }

  /** Checks that a state contains every write whose slot it covers (9). */
  void checkEffects(SimulatedMachine machine) {
    for (Map.Entry<Request, Position> effect : effects.entrySet()) {
      Request request = effect.getKey();
      require(
          machine.position().index() < effect.getValue().index()
              || machine.hasApplied(request.client(), request.sequence()),
          "(9)",
          () -> request + " is lost from the state at " + machine.position());
    }
  }

  /** The highest phase of any message that was sent. */
  int highestPhase() {
    return sent.keySet().stream().mapToInt(SentKey::phase).max().orElse(0);
  }
}
