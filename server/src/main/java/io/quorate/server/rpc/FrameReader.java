package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.quorate.common.Budget;
import io.quorate.protocol.frame.CheckedFrame;
import io.quorate.protocol.frame.FrameChecksum;
import io.quorate.protocol.frame.FrameVerifier;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.server.rpc.request.DecodedFrame;
import io.quorate.server.rpc.request.Permit;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Splits a client's bytes into frames, with admission control as soon as the header of a frame is
 * read: a frame that is too long, has an unknown opcode or exceeds a budget is never buffered. The
 * body of an admitted frame that has arrived is copied once, from the socket's buffers to the heap,
 * where it stays for as long as it is needed. One that is still to arrive has memory, and is
 * counted, for {@link #GROWTH} times what has arrived, twice that at most: its length is a claim.
 *
 * <p>One instance for each connection, on its event loop.
 */
public final class FrameReader extends ByteToMessageDecoder {
  private static final int PREFIX_AND_HEADER_BYTES =
      CheckedFrame.PREFIX_BYTES + Frames.HEADER_BYTES;

  /** A frame that is not complete after one period has at least these bytes in each: 1 Mbit/s. */
  private static final long RATE_MIN = 128 << 10;

  /** A greeting has names, and the other requests of control nearly nothing. */
  private static final int CONTROL_BODY_BYTES_MAX = 16 << 10;

  /** The least memory of a frame that is to arrive, if it is as long. */
  private static final int FIRST_BYTES = 4 << 10;

  /** So little of a frame is copied again, and nothing if a twentieth of it arrives at once. */
  private static final int GROWTH = 10;

  private static final String EXHAUSTED =
      "More requests are in flight than the bounds in section rpc allow: connection-requests and"
          + " connection-bytes; node-requests and node-bytes, or three quarters of them for one"
          + " address.";

  private static final String RECEIVING =
      "Frames that are not complete, all of this address, have half of rpc.node-bytes.";

  /**
   * What limits the requests of a connection.
   *
   * @param connection of its requests
   * @param receiving of the frames that its address has begun to send, and not completed, as far as
   *     they have memory
   * @param address of all requests of its address, a share of those of the node, but those of
   *     control, which have a budget of their own
   */
  record Budgets(Budget connection, Budget receiving, Budget address, Budget control) {}

  private enum State {
    PREAMBLE,
    HEADER,
    BODY,
    SKIPPING,
    BROKEN
  }

  private final int frameBytesMax;
  private final Duration period;
  private final Budgets budgets;

  private State state = State.PREAMBLE;
  private long correlation;
  private Opcode opcode;

  /** What has arrived of the body, in an array that becomes longer with it. */
  private ByteBuf body;

  private int bodyBytes;

  /** Of the frame that is being received, as far as it was received. */
  private final FrameChecksum checksum = new FrameChecksum();

  private Permit permit;

  /** Whether the frame is a request of control that is to arrive. */
  private boolean isBegunControl;

  /** The bytes of the frame that is being received, as they are counted for its address. */
  private long receiving;

  private int bytesToSkip;

  /** Whether a request was received: the first one is a greeting, or the connection is closed. */
  private boolean greeted;

  private boolean withinFrame;
  private boolean checkScheduled;

  /** Whether the other side could not send for a part of this period, as it was not read from. */
  private boolean suspended;

  /** The frames that ended and the bytes that arrived, now and when this period began. */
  private long frames;

  private long bytes;
  private long framesBefore;
  private long bytesBefore;

  /**
   * @param period within which a frame is complete, or {@link #RATE_MIN} bytes of it arrive for
   *     each second; else the connection is closed, since what it claims is reserved
   */
  FrameReader(int frameBytesMax, Duration period, Budgets budgets) {
    this.frameBytesMax = frameBytesMax;
    this.period = period;
    this.budgets = budgets;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    switch (state) {
      case PREAMBLE -> readPreamble(in, out);
      case HEADER -> readHeader(in, out);
      case BODY -> readBody(in, out);
      case SKIPPING -> skip(in);
      case BROKEN -> in.skipBytes(in.readableBytes());
    }
  }

  private void readPreamble(ByteBuf in, List<Object> out) {
    if (in.readableBytes() < Preamble.BYTES) {
      return;
    }
    int preamble = in.readInt();
    if (preamble == Preamble.current()) {
      state = State.HEADER;
    } else if (Preamble.isQuorate(preamble)) {
      abort(
          in,
          out,
          Status.INCOMPATIBLE,
          "This server uses protocol version "
              + Preamble.VERSION
              + ", and the client requested version "
              + Preamble.version(preamble)
              + ".");
    } else {
      abort(
          in,
          out,
          Status.INCOMPATIBLE,
          "This is a Quorate client port, and the first four bytes were not a Quorate preamble.");
    }
  }

  private void readHeader(ByteBuf in, List<Object> out) {
    if (in.readableBytes() < PREFIX_AND_HEADER_BYTES) {
      return;
    }
    int start = in.readerIndex();
    checksum
        .restart()
        .add(in, start, Integer.BYTES)
        .add(in, start + CheckedFrame.PREFIX_BYTES, Frames.HEADER_BYTES);
    int length = in.readInt();
    if (in.readInt() != checksum.value()) {
      abortAltered(in, out, "The header of a frame");
      return;
    }
    if (length < Frames.HEADER_BYTES || length > frameBytesMax) {
      abort(
          in,
          out,
          Status.INVALID,
          "A frame has from "
              + Frames.HEADER_BYTES
              + " to "
              + frameBytesMax
              + " bytes (limits.frame); this one claims "
              + length
              + ".");
      return;
    }
    correlation = in.readLong();
    int kind = in.readUnsignedByte();
    bodyBytes = length - Frames.HEADER_BYTES;
    admit(in.readableBytes(), kind, out);
    if (state == State.BODY) {
      readBody(in, out);
    }
  }

  /**
   * @param arrived the bytes that have arrived of the body and what follows
   */
  private void admit(int arrived, int kind, List<Object> out) {
    Optional<Opcode> known = Opcode.of(kind);
    if (known.isEmpty()) {
      reject(out, Status.INVALID, "There is no request of kind " + kind + ".");
      return;
    }
    if ((!greeted || known.get().isControl()) && bodyBytes > CONTROL_BODY_BYTES_MAX) {
      reject(
          out,
          Status.INVALID,
          "A greeting, and a request about the node, has at most "
              + CONTROL_BODY_BYTES_MAX
              + " bytes; this one claims "
              + bodyBytes
              + ".");
      return;
    }
    begin(known.get(), arrived).ifPresent(reason -> reject(out, Status.OVERLOADED, reason));
  }

  /** Begins to read a body, unless a bound is reached, which is returned then. */
  private Optional<String> begin(Opcode of, int arrived) {
    boolean isWhole = arrived - FrameChecksum.BYTES >= bodyBytes;
    isBegunControl = of.isControl() && !isWhole;
    boolean isBegun = !of.isControl() && !isWhole;
    Budget shared = shared(of);
    if (!isWhole && !hasRoom(shared)) {
      return Optional.of(EXHAUSTED);
    }
    int capacity = isWhole ? bodyBytes : capacity(arrived);
    if (isBegun && !budgets.receiving().tryAcquireAnySizeAlone(size(capacity))) {
      return Optional.of(RECEIVING);
    }
    receiving = isBegun ? size(capacity) : 0;
    Optional<Permit> admitted = Permit.tryAcquire(budgets.connection(), shared, size(capacity));
    if (admitted.isEmpty()) {
      releaseReceiving();
      return Optional.of(EXHAUSTED);
    }
    opcode = of;
    permit = admitted.get();
    body = Unpooled.wrappedBuffer(new byte[capacity]).clear();
    state = State.BODY;
    return Optional.empty();
  }

  /** Whether the whole frame would have room now: most of those that will not are not begun. */
  private boolean hasRoom(Budget shared) {
    return budgets.connection().hasRoom(size(bodyBytes)) && shared.hasRoom(size(bodyBytes));
  }

  /** What a frame counts among others than those of its connection. */
  private Budget shared(Opcode of) {
    if (isBegunControl) {
      return budgets.receiving();
    }
    return of.isControl() ? budgets.control() : budgets.address();
  }

  private static long size(int body) {
    return (long) Integer.BYTES + Frames.HEADER_BYTES + body;
  }

  /** The memory of a body of which so many bytes have arrived. */
  private int capacity(int arrived) {
    long capacity = Math.max(FIRST_BYTES, (long) GROWTH * arrived);
    return capacity >= bodyBytes / 2 ? bodyBytes : (int) capacity;
  }

  /**
   * Makes the body as long as what arrives of it needs.
   *
   * @param arriving the bytes that have arrived and are not in the body
   * @return the reason to reject the frame, if a bound does not allow it
   */
  private Optional<String> growBody(int arriving) {
    int present = body.writerIndex();
    int needed = (int) Math.min(bodyBytes, (long) present + arriving);
    if (needed <= body.capacity()) {
      return Optional.empty();
    }
    int capacity = capacity(needed);
    long more = capacity - body.capacity();
    if (!isBegunControl) {
      if (!budgets.receiving().tryGrowAnySizeAlone(receiving, more)) {
        return Optional.of(RECEIVING);
      }
      receiving += more;
    }
    if (!permit.tryGrow(more)) {
      return Optional.of(EXHAUSTED);
    }
    body = Unpooled.wrappedBuffer(Arrays.copyOf(body.array(), capacity)).writerIndex(present);
    return Optional.empty();
  }

  private void reject(List<Object> out, Status status, String message) {
    reject(bodyBytes, out, status, message);
  }

  /**
   * @param left the bytes of the body that are still to be read
   */
  private void reject(int left, List<Object> out, Status status, String message) {
    out.add(new DecodedFrame.Rejected(correlation, status, message));
    bytesToSkip = left + FrameChecksum.BYTES;
    state = State.SKIPPING;
  }

  private void readBody(ByteBuf in, List<Object> out) {
    Optional<String> refusal = growBody(in.readableBytes());
    if (refusal.isPresent()) {
      reject(bodyBytes - body.writerIndex(), out, Status.OVERLOADED, refusal.get());
      releasePermit();
      skip(in);
      return;
    }
    int arrived = Math.min(in.readableBytes(), body.writableBytes());
    checksum.add(in, in.readerIndex(), arrived);
    in.readBytes(body, arrived);
    if (body.writerIndex() < bodyBytes || in.readableBytes() < FrameChecksum.BYTES) {
      return;
    }
    if (in.readInt() != checksum.value()) {
      abortAltered(in, out, "A frame");
    } else if (isBegunControl && !admitWholeControl()) {
      out.add(new DecodedFrame.Rejected(correlation, Status.OVERLOADED, EXHAUSTED));
      endFrame();
    } else {
      out.add(new DecodedFrame.Complete(correlation, opcode, body, permit));
      greeted = true;
      endFrame();
    }
  }

  private void endFrame() {
    body = null;
    permit = null;
    releaseReceiving();
    frames++;
    state = State.HEADER;
  }

  /**
   * Counts a request of control among those of all addresses only now: a stranger who begins as
   * many greetings as there may be would keep out everybody else.
   */
  private boolean admitWholeControl() {
    permit.release();
    Optional<Permit> admitted =
        Permit.tryAcquire(budgets.connection(), budgets.control(), size(bodyBytes));
    permit = admitted.orElse(null);
    isBegunControl = false;
    return admitted.isPresent();
  }

  private void skip(ByteBuf in) {
    int bytes = Math.min(in.readableBytes(), bytesToSkip);
    in.skipBytes(bytes);
    bytesToSkip -= bytes;
    if (bytesToSkip == 0) {
      frames++;
      state = State.HEADER;
    }
  }

  /** Nothing of the frame is used, not even its correlation: it may be that of another request. */
  private void abortAltered(ByteBuf in, List<Object> out, String what) {
    state = State.BROKEN;
    in.skipBytes(in.readableBytes());
    releasePermit();
    String message = FrameVerifier.altered(what).getMessage() + ".";
    out.add(new DecodedFrame.Broken(Status.INVALID, message, DecodedFrame.Cause.ALTERED));
  }

  private void abort(ByteBuf in, List<Object> out, Status status, String message) {
    DecodedFrame.Cause cause =
        state == State.PREAMBLE ? DecodedFrame.Cause.PREAMBLE : DecodedFrame.Cause.PROTOCOL;
    state = State.BROKEN;
    in.skipBytes(in.readableBytes());
    out.add(new DecodedFrame.Broken(status, message, cause));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    bytes += ((ByteBuf) message).readableBytes();
    super.channelRead(context, message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) throws Exception {
    super.channelReadComplete(context);
    withinFrame =
        state == State.BODY
            || state == State.SKIPPING
            || (state == State.HEADER && actualReadableBytes() > 0);
    if (withinFrame && !checkScheduled) {
      checkScheduled = true;
      scheduleCheck(context);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) throws Exception {
    suspended = true;
    super.channelWritabilityChanged(context);
  }

  /** Begins a period. */
  private void scheduleCheck(ChannelHandlerContext context) {
    framesBefore = frames;
    bytesBefore = bytes;
    suspended = !context.channel().config().isAutoRead();
    context
        .executor()
        .schedule(() -> checkProgress(context), period.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void checkProgress(ChannelHandlerContext context) {
    if (!withinFrame || context.isRemoved()) {
      checkScheduled = false;
      return;
    }
    long needed = RATE_MIN * period.toMillis() / 1000;
    if (suspended || frames != framesBefore || bytes - bytesBefore >= needed) {
      scheduleCheck(context);
      return;
    }
    state = State.BROKEN;
    releasePermit();
    context.fireChannelRead(
        new DecodedFrame.Broken(
            Status.INVALID,
            "A frame stayed incomplete for "
                + period.toMillis()
                + "ms (rpc.frame-timeout) at less than "
                + (RATE_MIN >> 10)
                + " KiB a second.",
            DecodedFrame.Cause.PROTOCOL));
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext context) {
    releasePermit();
  }

  private void releasePermit() {
    if (permit != null) {
      permit.release();
      permit = null;
      body = null;
      releaseReceiving();
    }
  }

  private void releaseReceiving() {
    if (receiving > 0) {
      budgets.receiving().release(receiving);
      receiving = 0;
    }
  }
}
