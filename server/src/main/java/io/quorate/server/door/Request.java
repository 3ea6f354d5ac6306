package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.quorate.client.wire.Frames;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import io.quorate.failpoint.Failpoint;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One request of a client. It is answered once: of several answers the first is sent. Any thread
 * may answer.
 */
final class Request {
  /** What was asked for is done or refused, and the client does not know. */
  private static final Failpoint BEFORE_REPLY = Failpoint.named("door.reply.before");

  private final Outbox outbox;
  private final long correlation;
  private final Opcode opcode;
  private final ByteBuf body;
  private final Permit permit;
  private final DoorMetrics metrics;
  private final long arrivedNanos = System.nanoTime();
  private final AtomicBoolean answered = new AtomicBoolean();
  private volatile Timeout deadline;
  private volatile Future<?> awaited;

  Request(Outbox outbox, Inbound.Whole frame, DoorMetrics metrics) {
    this.outbox = outbox;
    this.correlation = frame.correlation();
    this.opcode = frame.opcode();
    this.body = frame.body();
    this.permit = frame.permit();
    this.metrics = metrics;
  }

  Opcode opcode() {
    return opcode;
  }

  /** For reading, by one thread. */
  ByteBuf body() {
    return body;
  }

  /** What of the body has not been read, without a copy. */
  ByteBuffer unread() {
    return body.nioBuffer();
  }

  boolean isAnswered() {
    return answered.get();
  }

  /** Whether answers may still be produced, or unread ones fill the bounds. */
  boolean hasRoom() {
    return permit.hasRoom();
  }

  /** Answers with {@code late} if there is no answer by then. At most once a request. */
  void expireAfter(Timer timer, long millis, Refusal late) {
    deadline = timer.newTimeout(ignored -> fail(late), millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Cancels what is waited for as soon as the request has an answer. For one thing at a time: what
   * was waited for before has ended.
   */
  void cancelWhenAnswered(Future<?> waitedFor) {
    awaited = waitedFor;
    if (answered.get()) {
      waitedFor.cancel(false);
    }
  }

  /** Starts the frame of an answer, to be given to {@link #complete}. */
  ByteBuf begin(int bodyBytes) {
    return Frames.begin(outbox.channel().alloc(), bodyBytes, correlation, Status.OK.code());
  }

  /** Answers with a frame from {@link #begin}, which is no longer the caller's. */
  void complete(ByteBuf frame) {
    answer(Status.OK, frame);
  }

  /** Answers with a whole body. */
  void complete(byte[] answer) {
    complete(begin(answer.length).writeBytes(answer));
  }

  void fail(Refusal refusal) {
    byte[] failure = refusal.failure().toByteArray();
    int kind = refusal.status().code();
    answer(
        refusal.status(),
        Frames.begin(outbox.channel().alloc(), failure.length, correlation, kind)
            .writeBytes(failure));
  }

  private void answer(Status status, ByteBuf frame) {
    BEFORE_REPLY.passed(opcode);
    if (!answered.compareAndSet(false, true)) {
      frame.release();
      return;
    }
    Timeout armed = deadline;
    if (armed != null) {
      armed.cancel();
    }
    Future<?> pending = awaited;
    if (pending != null) {
      pending.cancel(false);
    }
    metrics.answered(opcode, status, System.nanoTime() - arrivedNanos);
    permit.grow(frame.readableBytes());
    outbox.send(Frames.end(frame), permit::release);
  }
}
