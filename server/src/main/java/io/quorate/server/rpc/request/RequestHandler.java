package io.quorate.server.rpc.request;

/** Serves the requests of one opcode. */
public interface RequestHandler {
  /**
   * Completes the request, now or later. Called on event loops; does not block.
   *
   * @throws RequestRejected if it is rejected immediately; likewise {@link
   *     io.quorate.common.DecodeException} and {@link io.quorate.consensus.ConsensusException}
   */
  void handle(Request request);
}
