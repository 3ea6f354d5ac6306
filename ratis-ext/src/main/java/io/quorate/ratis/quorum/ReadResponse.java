package io.quorate.ratis.quorum;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A replica's response to a read request of another one.
 *
 * <pre>
 * response := granted(u8) load(i32) body      body = reason (UTF-8), if not granted
 * </pre>
 *
 * @param load how many requests the replica had in flight
 * @param body what was requested; empty if the replica cannot provide it now
 * @param reason why there is no body
 */
record ReadResponse(int load, Optional<ByteBuffer> body, String reason) {

  static ByteBuffer granted(int load, ByteBuffer body) {
    return encode((byte) 1, load, body);
  }

  static ByteBuffer refused(int load, String reason) {
    return encode((byte) 0, load, ByteBuffer.wrap(reason.getBytes(StandardCharsets.UTF_8)));
  }

  private static ByteBuffer encode(byte granted, int load, ByteBuffer body) {
    return ByteBuffer.allocate(1 + Integer.BYTES + body.remaining())
        .put(granted)
        .putInt(load)
        .put(body.duplicate())
        .flip();
  }

  /**
   * @throws IOException if the response is malformed
   */
  static ReadResponse decode(ByteBuffer from) throws IOException {
    try {
      boolean isGranted = from.get() != 0;
      int load = from.getInt();
      return isGranted
          ? new ReadResponse(load, Optional.of(from.slice()), "")
          : new ReadResponse(
              load, Optional.empty(), StandardCharsets.UTF_8.decode(from).toString());
    } catch (BufferUnderflowException e) {
      throw new IOException("A read response ends early.", e);
    }
  }
}
