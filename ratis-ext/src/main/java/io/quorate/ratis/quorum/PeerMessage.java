package io.quorate.ratis.quorum;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The format of the read requests that replicas send to each other, and of the responses.
 *
 * <pre>
 * request  := mark(i32) version(u8) kind(u8) body         kind = 1 read replies | 2 read index
 * response := version(u8) granted(u8) load(i32) body      body = reason (UTF-8), if not granted
 * </pre>
 */
final class PeerMessage {
  static final byte READ_REPLIES = 1;
  static final byte READ_INDEX = 2;

  /** No other message that a replica receives begins with this value. */
  private static final int MARK = 0x51_55_4f_52;

  private static final byte VERSION = 1;

  private PeerMessage() {}

  record Request(byte kind, ByteBuffer body) {}

  /**
   * @param load how many requests the replica had in flight
   * @param body what was requested; empty if the replica cannot provide it now
   * @param reason why there is no body
   */
  record Response(int load, Optional<ByteBuffer> body, String reason) {}

  static ByteBuffer request(byte kind, ByteBuffer body) {
    return ByteBuffer.allocate(Integer.BYTES + 2 + body.remaining())
        .putInt(MARK)
        .put(VERSION)
        .put(kind)
        .put(body.duplicate())
        .flip();
  }

  static boolean isRequest(ByteBuffer bytes) {
    return bytes.remaining() >= Integer.BYTES && bytes.getInt(bytes.position()) == MARK;
  }

  /**
   * @throws IOException if the request has a version that this release does not support
   */
  static Request readRequest(ByteBuffer from) throws IOException {
    try {
      from.getInt();
      requireVersion(from.get());
      return new Request(from.get(), from.slice());
    } catch (BufferUnderflowException e) {
      throw new IOException("A read request ends early.", e);
    }
  }

  static ByteBuffer response(int load, ByteBuffer body) {
    return response((byte) 1, load, body);
  }

  static ByteBuffer refusal(int load, String reason) {
    return response((byte) 0, load, ByteBuffer.wrap(reason.getBytes(StandardCharsets.UTF_8)));
  }

  private static ByteBuffer response(byte granted, int load, ByteBuffer body) {
    return ByteBuffer.allocate(2 + Integer.BYTES + body.remaining())
        .put(VERSION)
        .put(granted)
        .putInt(load)
        .put(body.duplicate())
        .flip();
  }

  /**
   * @throws IOException if the response cannot be decoded
   */
  static Response readResponse(ByteBuffer from) throws IOException {
    try {
      requireVersion(from.get());
      boolean isGranted = from.get() != 0;
      int load = from.getInt();
      return isGranted
          ? new Response(load, Optional.of(from.slice()), "")
          : new Response(load, Optional.empty(), StandardCharsets.UTF_8.decode(from).toString());
    } catch (BufferUnderflowException e) {
      throw new IOException("A read response ends early.", e);
    }
  }

  private static void requireVersion(byte version) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "Another node uses version "
              + version
              + " of read requests, and this one version "
              + VERSION
              + "; run the same release on all nodes.");
    }
  }
}
