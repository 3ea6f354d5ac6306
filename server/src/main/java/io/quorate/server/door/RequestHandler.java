package io.quorate.server.door;

/** Serves one kind of request. */
interface RequestHandler {
  /**
   * Sees to it that the request is answered, now or later. Called on event loops; does not block.
   *
   * @throws Refusal if it is refused at once; likewise {@link
   *     io.quorate.operation.MalformedException} and {@link
   *     io.quorate.consensus.ConsensusException}
   */
  void handle(Request request);
}
