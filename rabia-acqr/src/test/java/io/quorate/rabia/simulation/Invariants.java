package io.quorate.rabia.simulation;

import static io.quorate.rabia.simulation.Violation.require;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
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
 * The invariants of a group, checked after every effect. The numbers in parentheses are those of
 * the table in docs/protocols.md.
 */
final class Invariants {
  private record Said(NodeId sender, long slot, int phase, String type) {}

  private record Owned(NodeId owner, long slot) {}

  private record Written(NodeId node, LogRecord record) {}

  private record Request(int client, int sequence) {}

  private record Step(BatchId batch, long hash) {}

  private final Mutation mutation;
  private final int alpha;
  private final List<Configuration> configurations = new ArrayList<>();
  private final Map<Said, Message> said = new HashMap<>();
  private final Map<Long, BatchId> candidates = new HashMap<>();
  private final Map<Long, BatchId> decisions = new HashMap<>();
  private final Map<Long, Step> executed = new HashMap<>();
  private final Map<Long, Map<NodeId, BatchId>> durableProposals = new HashMap<>();
  private final Set<Written> durable = new HashSet<>();
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

  Configuration latest() {
    return configurations.get(configurations.size() - 1);
  }

  /** The one before the latest, if there was one. */
  Configuration previous() {
    return configurations.get(Math.max(0, configurations.size() - 2));
  }

  /** How many may be away, whichever configuration is in force. */
  int faultsTolerated() {
    return configurations.stream().mapToInt(Configuration::faults).min().orElseThrow();
  }

  /** A record of a node's log survives whatever comes now. */
  void durable(NodeId node, LogRecord record) {
    durable.add(new Written(node, record));
    if (record instanceof LogRecord.Proposed proposed && proposed.batch().isPresent()) {
      durableProposals
          .computeIfAbsent(proposed.at().index(), slot -> new HashMap<>())
          .put(node, proposed.id());
    } else if (record instanceof LogRecord.Reservation reservation) {
      reservations.put(node, reservation);
    }
  }

  /** A node's replica has decided a slot. */
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

  /** A message leaves a node. */
  void leaves(NodeId from, Message message) {
    if (message instanceof Message.Proposal proposal) {
      speaks(from, proposal.at(), 0, "PROPOSAL", proposal);
      impliedByLog(from, proposal, null);
    } else if (message instanceof Message.State state) {
      speaks(from, state.at(), state.phase(), "STATE", state);
      candidate(state.at().index(), state.candidate(), state.one());
      impliedByLog(
          from,
          state,
          new LogRecord.StateChosen(state.at(), state.phase(), state.one(), state.candidate()));
    } else if (message instanceof Message.Vote vote) {
      speaks(from, vote.at(), vote.phase(), "VOTE", vote);
      candidate(vote.at().index(), vote.candidate(), vote.ballot() == Ballot.ONE);
      votesAgree(vote);
      impliedByLog(
          from,
          vote,
          new LogRecord.Voted(vote.at(), vote.phase(), vote.ballot(), vote.candidate()));
    } else if (message instanceof Message.Content content) {
      contentLeaves(from, content);
    } else if (message instanceof Message.Skip skip) {
      skips(from, skip);
    } else if (message instanceof Message.Decision decision) {
      require(
          decision.id().equals(decisions.get(decision.at().index())),
          "(1)",
          () -> "untrue " + decision);
    }
  }

  private void speaks(NodeId from, Position at, int phase, String type, Message message) {
    Configuration members = at(at.index());
    require(
        members.contains(from) && members.epoch() == at.epoch(),
        "(11)",
        () -> from + " is no member in " + at);
    Message before = said.putIfAbsent(new Said(from, at.index(), phase, type), message);
    require(
        before == null || before.equals(message),
        "(2)",
        () -> from + " says " + before + ", " + message);
  }

  private void candidate(long slot, BatchId candidate, boolean one) {
    require(!one || !candidate.isNone(), "(4)", () -> "one without a candidate in slot " + slot);
    if (!candidate.isNone()) {
      BatchId before = candidates.putIfAbsent(slot, candidate);
      require(
          before == null || before.equals(candidate),
          "(4)",
          () -> "slot " + slot + " has the candidates " + before + " and " + candidate);
    }
  }

  private void votesAgree(Message.Vote vote) {
    if (vote.ballot() == Ballot.UNDECIDED) {
      return;
    }
    NodeId all = BatchId.NONE.origin();
    Said key = new Said(all, vote.at().index(), vote.phase(), vote.ballot().name());
    said.putIfAbsent(key, vote);
    Ballot opposite = vote.ballot() == Ballot.ONE ? Ballot.ZERO : Ballot.ONE;
    require(
        !said.containsKey(new Said(all, vote.at().index(), vote.phase(), opposite.name())),
        "(3)",
        () -> "both votes in phase " + vote.phase() + " of slot " + vote.at());
  }

  private void impliedByLog(NodeId from, Message message, LogRecord record) {
    boolean implied;
    if (message instanceof Message.Proposal proposal && !proposal.id().isNone()) {
      Map<NodeId, BatchId> proposals =
          durableProposals.getOrDefault(proposal.at().index(), Map.of());
      implied = proposal.id().equals(proposals.get(from));
    } else if (message instanceof Message.Proposal proposal) {
      implied =
          durable.contains(
              new Written(
                  from, new LogRecord.Proposed(proposal.at(), BatchId.NONE, Optional.empty())));
    } else {
      implied = durable.contains(new Written(from, record));
    }
    boolean allowed = mutation == Mutation.VOLATILE_PROPOSALS_LEAVE;
    require(implied || allowed, "(6)", () -> from + " says what is not durable: " + message);
  }

  private void contentLeaves(NodeId from, Message.Content content) {
    long slot = content.at().index();
    require(at(slot).owner(slot).equals(from), "O1", () -> from + " does not own " + slot);
    contents.add(new Owned(from, slot));
    require(
        !skips.contains(new Owned(from, slot)), "(10)", () -> "content after the skip of " + slot);
    reserved(from, slot);
  }

  private void skips(NodeId from, Message.Skip skip) {
    for (long slot = skip.from().index(); slot <= skip.to(); slot++) {
      Owned given = new Owned(from, slot);
      if (at(slot).owner(slot).equals(from)) {
        skips.add(given);
        require(!contents.contains(given), "(10)", () -> "skip of issued slot: " + given);
        reserved(from, slot);
      }
    }
  }

  private void reserved(NodeId from, long slot) {
    LogRecord.Reservation reservation = reservations.get(from);
    require(
        reservation != null && slot < reservation.end(),
        "O4",
        () -> "slot " + slot + " not reserved");
  }

  /** A node's state machine has executed a slot. */
  void executed(Position at, Optional<Batch> batch, long hash) {
    BatchId id = batch.map(Batch::id).orElse(BatchId.NONE);
    Step step = new Step(id, hash);
    Step before = executed.putIfAbsent(at.index(), step);
    require(
        before == null || before.equals(step),
        "(7)",
        () -> "slot " + at + " executed as " + before + " and " + step);
    if (before == null
        && batch.isPresent()
        && batch.get().body() instanceof Body.Reconfiguration change
        && change.basedOn() == latest().epoch()) {
      configurations.add(
          new Configuration(latest().epoch() + 1, at.index() + alpha, change.members()));
    }
  }

  /** A command took effect at a node. */
  void effective(SimulatedCommand command, Position at) {
    Position before = effects.putIfAbsent(new Request(command.client(), command.sequence()), at);
    require(
        before == null || before.index() == at.index(),
        "(8)",
        () -> command + " takes effect at " + before + " and " + at);
  }

  /** A client has been told that its write took effect. */
  void acknowledged(SimulatedCommand command) {
    Position at = effects.get(new Request(command.client(), command.sequence()));
    require(at != null, "(9)", () -> command + " is acknowledged and has no effect");
    acknowledged.merge(command.key(), at.index(), Math::max);
  }

  /** The highest slot at which a write of the key is known to have taken effect (14). */
  long acknowledged(int key) {
    return acknowledged.getOrDefault(key, -1L);
  }

  /** Every acknowledged write is in a state that covers it (9). */
  void containsAcknowledged(SimulatedMachine machine) {
    for (Map.Entry<Request, Position> effect : effects.entrySet()) {
      Request request = effect.getKey();
      require(
          machine.position().index() < effect.getValue().index()
              || machine.hasSeen(request.client(), request.sequence()),
          "(9)",
          () -> request + " is lost from the state at " + machine.position());
    }
  }

  /** How far beyond the first phase any slot got. */
  int highestPhase() {
    return said.keySet().stream().mapToInt(Said::phase).max().orElse(0);
  }
}
