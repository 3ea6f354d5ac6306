package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.Command;
import io.quorate.consensus.Position;
import io.quorate.consensus.ProposeResult;
import io.quorate.operation.ClientCommand;
import io.quorate.operation.Limits;
import io.quorate.operation.Operation;
import io.quorate.server.topology.LocalReplica;
import java.nio.ByteBuffer;

/** Serves writes: validates a command, proposes it, and responds with its result. */
final class WriteHandler implements RequestHandler {
  private final RegionLookup regionLookup;
  private final ServingState servingState;
  private final Limits limits;
  private final int commandBytesMax;
  private final RequestTimeouts timeouts;

  /**
   * @param commandBytesMax maximum size of a command that the engine accepts
   */
  WriteHandler(
      RegionLookup regionLookup,
      ServingState servingState,
      Limits limits,
      int commandBytesMax,
      RequestTimeouts timeouts) {
    this.regionLookup = regionLookup;
    this.servingState = servingState;
    this.limits = limits;
    this.commandBytesMax = commandBytesMax;
    this.timeouts = timeouts;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    ByteBuffer payload = request.unread();
    ClientCommand write = check(payload);
    LocalReplica region = regionLookup.route(routing, write.operation());
    servingState.requireWritable();
    timeouts.armWrite(request, routing);
    region
        .group()
        .propose(command(payload, write))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                respond(request, outcome);
              } else {
                request.fail(ErrorMapper.toRejection(failure));
              }
            });
  }

  private ClientCommand check(ByteBuffer payload) {
    if (payload.remaining() > commandBytesMax) {
      throw RequestRejected.invalid(
          "A write has at most "
              + commandBytesMax
              + " bytes with this engine; this one has "
              + payload.remaining()
              + ".");
    }
    ClientCommand write = ClientCommand.decode(payload);
    Operation operation = write.operation();
    if (operation instanceof Operation.ExpireSessions) {
      throw RequestRejected.invalid("Only the server itself expires sessions.");
    }
    limits.check(operation);
    return write;
  }

  /**
   * The received bytes, unless an append in them could create a longer value than this node's
   * limits allow. The limit is encoded into the command, since replicas with other limits apply it
   * too.
   */
  private Command command(ByteBuffer payload, ClientCommand write) {
    Operation bound = limits.bound(write.operation());
    return bound == write.operation()
        ? new Command(payload)
        : new Command(new ClientCommand(write.tag(), bound).encoded());
  }

  private static void respond(Request request, ProposeResult outcome) {
    ByteBuffer result = outcome.result();
    ByteBuf frame = request.begin(Position.BYTES + result.remaining());
    DataFrames.writePosition(frame, outcome.position());
    request.complete(frame.writeBytes(result.duplicate()));
  }
}
