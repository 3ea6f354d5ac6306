package io.quorate.consensus;

import io.quorate.model.Position;
import java.nio.ByteBuffer;

/**
 * The outcome of a committed command.
 *
 * @param position the position at which the command was committed
 * @param result the result from the state machine, opaque to the engine
 */
public record ProposeResult(Position position, ByteBuffer result) {}
