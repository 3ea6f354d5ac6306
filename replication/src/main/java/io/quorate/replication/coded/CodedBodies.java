package io.quorate.replication.coded;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Replication of bodies as fragments, of which any majority holds enough. */
final class CodedBodies implements BodyReplication {
  private final GroupId group;
  private final BodyNode node;
  private final LocalBodies local;
  private final BodyPeers peers;
  private final Replica replica;
  private final BodyProposer proposer;
  private final BodyReader reader;

  CodedBodies(
      GroupId group,
      BodyNode node,
      LocalBodies local,
      BodyPeers peers,
      Replica replica,
      BodyMetrics metrics) {
    this.group = group;
    this.node = node;
    this.local = local;
    this.peers = peers;
    this.replica = replica;
    this.proposer = new BodyProposer(group, node, local, peers, replica, metrics);
    this.reader = new BodyReader(group, node, local, peers, metrics);
  }

  BodyProposer proposer() {
    return proposer;
  }

  @Override
  public int bodyBytesMin() {
    return node.settings().bodyBytesMin();
  }

  @Override
  public CompletionStage<ProposeResult> propose(
      ByteBuffer body, Function<BodyReference, Command> command) {
    return proposer.propose(body, command);
  }

  @Override
  public CompletionStage<ByteBuffer> read(BodyReference body) {
    return reader.read(body);
  }

  @Override
  public Optional<Part> held(BodyReference body) {
    return reader.held(body);
  }

  @Override
  public CompletionStage<Condition> restore(BodyReference body) {
    return reader.restore(body);
  }

  @Override
  public Preparation prepare(List<NodeId> members) {
    List<NodeId> present = replica.members().get().present();
    // First: bodies that are on their way are sent to a new member at once.
    replica.connect().accept(members);
    long term = proposer.prepare(members);
    BodyCopies copies =
        new BodyCopies(
            group,
            node,
            local,
            peers,
            reader,
            present,
            members,
            () -> proposer.prepared(term, members));
    if (!copies.copies()) {
      copies.complete();
    }
    return copies;
  }

  /** Fails what is in progress, and accepts nothing more. */
  void close() {
    proposer.close();
    reader.close();
  }
}
