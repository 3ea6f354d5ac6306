package io.quorate.ratis.coded;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.ProposeResult;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Replication of bodies as fragments, of which any majority holds enough. */
record CodedBodies(int bodyBytesMin, BodyProposer proposer, BodyReader reader)
    implements BodyReplication {

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
}
