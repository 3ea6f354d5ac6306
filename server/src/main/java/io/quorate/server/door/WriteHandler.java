package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.Command;
import io.quorate.consensus.Outcome;
import io.quorate.operation.Limits;
import io.quorate.operation.Operation;
import io.quorate.operation.TaggedOperation;
import io.quorate.server.cluster.HostedRegion;
import java.nio.ByteBuffer;

/** Writes: checks a command, proposes it, and answers with what the state machine said. */
final class WriteHandler implements RequestHandler {
  private static final int POSITION_BYTES = 2 * Long.BYTES;

  private final RegionRouter router;
  private final ServiceGate gate;
  private final Limits limits;
  private final int commandBytesMax;
  private final Deadlines deadlines;

  /**
   * @param commandBytesMax longest command that the engine takes
   */
  WriteHandler(
      RegionRouter router,
      ServiceGate gate,
      Limits limits,
      int commandBytesMax,
      Deadlines deadlines) {
    this.router = router;
    this.gate = gate;
    this.limits = limits;
    this.commandBytesMax = commandBytesMax;
    this.deadlines = deadlines;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    ByteBuffer payload = request.unread();
    TaggedOperation write = check(payload);
    HostedRegion region = router.route(routing, write.operation());
    gate.requireWritable();
    deadlines.armWrite(request, routing);
    region
        .group()
        .propose(command(payload, write))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                answer(request, outcome);
              } else {
                request.fail(FailureMapping.refusal(failure));
              }
            });
  }

  private TaggedOperation check(ByteBuffer payload) {
    if (payload.remaining() > commandBytesMax) {
      throw Refusal.invalid(
          "A write has at most "
              + commandBytesMax
              + " bytes with this engine; this one has "
              + payload.remaining()
              + ".");
    }
    TaggedOperation write = TaggedOperation.decode(payload);
    Operation operation = write.operation();
    if (operation instanceof Operation.ExpireSessions) {
      throw Refusal.invalid("Only the server itself forgets sessions.");
    }
    limits.check(operation);
    return write;
  }

  /**
   * The request's bytes as they came, unless an append in it may make a longer value than is
   * allowed here. The bound goes into the command, since replicas with other limits apply it too.
   */
  private Command command(ByteBuffer payload, TaggedOperation write) {
    Operation bound = limits.bound(write.operation());
    return bound == write.operation()
        ? new Command(payload)
        : new Command(new TaggedOperation(write.tag(), bound).encoded());
  }

  private static void answer(Request request, Outcome outcome) {
    ByteBuffer result = outcome.result();
    ByteBuf frame = request.begin(POSITION_BYTES + result.remaining());
    DataFrames.writePosition(frame, outcome.position());
    request.complete(frame.writeBytes(result.duplicate()));
  }
}
