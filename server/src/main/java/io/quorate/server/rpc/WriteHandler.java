package io.quorate.server.rpc;

import io.quorate.consensus.Command;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Routing;
import io.quorate.server.rpc.request.ErrorMapper;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.rpc.request.RequestTimeouts;
import io.quorate.server.topology.LocalReplica;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/** Serves writes: validates a command, proposes it, and responds with its result. */
final class WriteHandler implements RequestHandler {
  private final RegionLookup regionLookup;
  private final ServingState servingState;
  private final Limits limits;
  private final int commandBytesMax;
  private final RequestTimeouts timeouts;
  private final BodyWrites writes;

  /**
   * @param commandBytesMax maximum size of a command that the engine accepts
   */
  WriteHandler(
      RegionLookup regionLookup,
      ServingState servingState,
      Limits limits,
      int commandBytesMax,
      RequestTimeouts timeouts,
      BodyWrites writes) {
    this.regionLookup = regionLookup;
    this.servingState = servingState;
    this.limits = limits;
    this.commandBytesMax = commandBytesMax;
    this.timeouts = timeouts;
    this.writes = writes;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    ByteBuffer payload = request.unread();
    ClientCommand write = check(payload);
    LocalReplica region = regionLookup.route(request, routing, write.operation());
    boolean isBody = BodyWrites.isBody(region, write.operation());
    if (!isBody) {
      checkSize(payload);
    }
    servingState.requireWritable();
    CompletionStage<ProposeResult> proposed =
        isBody
            ? proposeBody(request, routing, region, write)
            : propose(request, routing, region, payload, write);
    proposed.whenComplete(
        (outcome, failure) -> {
          if (failure == null) {
            respond(request, outcome);
          } else {
            request.fail(ErrorMapper.toRejection(failure));
          }
        });
  }

  /**
   * Proposes the received bytes, unless an append in them could create a longer value than this
   * node's limits allow. The limit is encoded into the command, since replicas with other limits
   * apply it too.
   */
  private CompletionStage<ProposeResult> propose(
      Request request,
      Routing routing,
      LocalReplica region,
      ByteBuffer payload,
      ClientCommand write) {
    Operation bound = limits.bound(write.operation());
    boolean isBounded = bound != write.operation();
    ClientCommand limited = isBounded ? new ClientCommand(write.tag(), bound) : write;
    Command command =
        new Command(
            isBounded ? limited.encoded() : payload,
            request.source(),
            timeouts.queueNanosMax(routing));
    timeouts.armWrite(request, routing, command);
    return writes.propose(request, region, limited, command);
  }

  private CompletionStage<ProposeResult> proposeBody(
      Request request, Routing routing, LocalReplica region, ClientCommand write) {
    timeouts.armWrite(request, routing);
    return BodyWrites.proposeBody(request, region, write);
  }

  /** Only a body is not in the log in full. */
  private void checkSize(ByteBuffer payload) {
    if (payload.remaining() > commandBytesMax) {
      throw RequestRejected.invalid(
          "A write has at most "
              + commandBytesMax
              + " bytes with this engine, unless it is a put with replication = coded; this one has "
              + payload.remaining()
              + ".");
    }
  }

  private ClientCommand check(ByteBuffer payload) {
    ClientCommand write = ClientCommand.decode(payload);
    Operation operation = write.operation();
    if (operation instanceof Operation.ExpireSessions) {
      throw RequestRejected.invalid("Only the server itself expires sessions.");
    }
    if (operation instanceof Operation.Digest) {
      throw RequestRejected.invalid("Only the server itself compares replicas.");
    }
    if (operation instanceof Operation.OnRange) {
      throw RequestRejected.invalid("Only the server itself splits regions and merges them.");
    }
    if (operation instanceof Operation.PutBody || operation instanceof Operation.Resolved) {
      throw RequestRejected.invalid("Only the server itself refers to bodies.");
    }
    limits.check(operation);
    return write;
  }

  private void respond(Request request, ProposeResult outcome) {
    ByteBuffer result = outcome.result();
    if (Result.isSuperseded(result)) {
      request.fail(
          RequestRejected.unavailable(
              "The leader or the value changed before the write took effect; it had none."));
      return;
    }
    if (Result.isOutOfRange(result)) {
      request.fail(
          regionLookup.hasChanged(
              "The region has split or is merged, and does not hold a key of the write; the write had"
                  + " no effect."));
      return;
    }
    request.complete(
        request.withRest(
            Position.BYTES, head -> DataFrames.writePosition(head, outcome.position()), result));
  }
}
