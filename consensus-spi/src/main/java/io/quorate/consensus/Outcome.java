package io.quorate.consensus;

import java.nio.ByteBuffer;

/**
 * What became of a command.
 *
 * @param position where it was committed
 * @param result what the state machine answered, opaque to the engine
 */
public record Outcome(Position position, ByteBuffer result) {}
