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
    Operation operation = check(payload);
    HostedRegion region = router.route(routing, operation);
    gate.requireWritable();
    deadlines.armWrite(request, routing);
    region
        .group()
        .propose(new Command(payload))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                answer(request, outcome);
              } else {
                request.fail(FailureMapping.refusal(failure));
              }
            });
  }

  private Operation check(ByteBuffer payload) {
    if (payload.remaining() > commandBytesMax) {
      throw Refusal.invalid(
          "A write has at most "
              + commandBytesMax
              + " bytes with this engine; this one has "
              + payload.remaining()
              + ".");
    }
    Operation operation = TaggedOperation.decode(payload).operation();
    if (operation instanceof Operation.ExpireSessions) {
      throw Refusal.invalid("Only the server itself forgets sessions.");
    }
    limits.check(operation);
    return operation;
  }

  private static void answer(Request request, Outcome outcome) {
    ByteBuffer result = outcome.result();
    ByteBuf frame = request.begin(POSITION_BYTES + result.remaining());
    DataFrames.writePosition(frame, outcome.position());
    request.complete(frame.writeBytes(result.duplicate()));
  }
}
