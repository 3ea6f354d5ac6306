package io.quorate.server.rpc.request;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.quorate.common.Failpoint;
import io.quorate.consensus.Command;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.server.access.AuditLog;
import io.quorate.server.access.Principal;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One request of a client. It is completed once: the first response is sent, further ones are
 * discarded. Any thread may complete it.
 */
public final class Request {
  /**
   * The request has been executed or rejected, and the client has no response yet; nor does it
   * receive one if the action fails. The subject is the address of the node.
   */
  private static final Failpoint BEFORE_REPLY = Failpoint.named("rpc.reply.before");

  /** Shorter bytes are copied, which costs less than a second buffer. */
  private static final int SHARED_BYTES_MIN = 64 << 10;

  private static final int ON_HEAP_BYTES_MIN = 1 << 20;

  /** The head of a frame, what is not copied, and the checksum. */
  private static final int COMPONENTS_MAX = 3;

  /** What a client sends may be longer than a line of a log. */
  private static final int DESCRIPTION_MAX = 200;

  private final ResponseQueue responses;
  private final long correlation;
  private final Opcode opcode;
  private final ByteBuf body;
  private final Permit permit;
  private final RpcMetrics metrics;
  private final Principal sender;
  private final Command.Source source;
  private final long arrivedNanos = System.nanoTime();
  private final AtomicBoolean completed = new AtomicBoolean();
  // Written before whatever responds is handed to another thread.
  private String described = "";
  private boolean isAdmitted;
  private volatile Timeout timeout;
  private volatile Future<?> awaited;

  /**
   * @param sender whoever is at the other end of the connection
   * @param source the connection
   */
  public Request(
      ResponseQueue responses,
      DecodedFrame.Complete frame,
      RpcMetrics metrics,
      Principal sender,
      Command.Source source) {
    this.sender = sender;
    this.source = source;
    this.responses = responses;
    this.correlation = frame.correlation();
    this.opcode = frame.opcode();
    this.body = frame.body();
    this.permit = frame.permit();
    this.metrics = metrics;
  }

  public Opcode opcode() {
    return opcode;
  }

  /** Whoever is at the other end of the connection. */
  public Principal sender() {
    return sender;
  }

  /** The connection, whose commands take turns with those of others. */
  public Command.Source source() {
    return source;
  }

  /** Records that the sender may use requests of this kind. */
  public void admit() {
    isAdmitted = true;
  }

  /** What an operator requests, such as "drain n3", for the audit log; without keys. */
  public void describe(String subject) {
    described = subject.substring(0, Math.min(subject.length(), DESCRIPTION_MAX));
  }

  /** The body, to be read by one thread. */
  public ByteBuf body() {
    return body;
  }

  /** The unread part of the body, without a copy. */
  public ByteBuffer unread() {
    return body.nioBuffer();
  }

  /**
   * The unread part of the body as a message.
   *
   * @throws RequestRejected if it is none
   */
  public <M> M message(Parser<M> parser) {
    try {
      return parser.parseFrom(unread());
    } catch (InvalidProtocolBufferException e) {
      throw RequestRejected.invalid("The request cannot be read: " + e.getMessage());
    }
  }

  public boolean isCompleted() {
    return completed.get();
  }

  /**
   * Reserves the bytes of a value before it is read for this request, so that the values which are
   * read and sent at a time are bounded. They are held until the response is written.
   *
   * @return false, with nothing reserved, if the limits on bytes in flight do not allow it
   */
  public boolean tryReserve(long bytes) {
    return permit.tryReserve(bytes);
  }

  /** Whether responses may still be produced; not while unread ones exhaust the limits. */
  public boolean hasCapacity() {
    return permit.hasCapacity();
  }

  /**
   * Fails unless completed within this time, as {@link #runAfter}.
   *
   * @param rejection creates the failure; most requests complete before and need none
   */
  void expireAfter(Timer timer, long millis, Supplier<RequestRejected> rejection) {
    runAfter(timer, millis, () -> fail(rejection.get()));
  }

  /**
   * Runs an action unless completed within this time. Called once, and again by the action.
   *
   * @param action on the thread of the timer; may fail the request
   */
  void runAfter(Timer timer, long millis, Runnable action) {
    Timeout armed = timer.newTimeout(ignored -> action.run(), millis, TimeUnit.MILLISECONDS);
    timeout = armed;
    if (completed.get()) {
      armed.cancel();
    }
  }

  /**
   * Cancels a future as soon as the request completes. Holds one future at a time: the previous one
   * must have ended.
   */
  public void cancelWhenCompleted(Future<?> future) {
    awaited = future;
    if (completed.get()) {
      future.cancel(false);
    }
  }

  /** Runs a task on the connection's event loop: now, if this is its thread. */
  public void onEventLoop(Runnable task) {
    EventLoop loop = responses.channel().eventLoop();
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      fail(RequestRejected.unavailable("This node is stopping."));
    }
  }

  /** Starts the frame of a successful response, for {@link #complete(ByteBuf)}. */
  public ByteBuf begin(int bodyBytes) {
    int kind = Status.OK.code();
    // A long frame is sent in pieces, so memory outside of the heap would only be one more copy.
    return bodyBytes < ON_HEAP_BYTES_MIN
        ? Frames.begin(responses.channel().alloc(), bodyBytes, correlation, kind)
        : Frames.beginOnHeap(bodyBytes, correlation, kind);
  }

  /**
   * As {@link #begin}, for a body that ends with bytes which are not copied.
   *
   * @param bodyBytes the length of what precedes them
   * @param writeBody writes that
   * @param rest the bytes between position and limit, which must never change
   */
  public ByteBuf withRest(int bodyBytes, Consumer<ByteBuf> writeBody, ByteBuffer rest) {
    ByteBuf head = begin(bodyBytes + (rest.remaining() < SHARED_BYTES_MIN ? rest.remaining() : 0));
    writeBody.accept(head);
    return rest.remaining() < SHARED_BYTES_MIN
        ? head.writeBytes(rest.duplicate())
        : Unpooled.wrappedBuffer(COMPONENTS_MAX, head, Unpooled.wrappedBuffer(rest));
  }

  /** Responds with a frame from {@link #begin} and takes ownership of it. */
  public void complete(ByteBuf frame) {
    respond(Status.OK, frame);
  }

  /** Responds with a complete body. */
  public void complete(byte[] responseBody) {
    complete(begin(responseBody.length).writeBytes(responseBody));
  }

  /** Responds with the outcome of an operation: a message, or a failure unless that is null. */
  public void end(MessageLite response, Throwable failure) {
    if (failure == null) {
      complete(response.toByteArray());
    } else {
      fail(ErrorMapper.toRejection(failure));
    }
  }

  public void fail(RequestRejected rejection) {
    byte[] failure = rejection.failureFor(sender.permissions()).toByteArray();
    int kind = rejection.status().code();
    respond(
        rejection.status(),
        Frames.begin(responses.channel().alloc(), failure.length, correlation, kind)
            .writeBytes(failure));
  }

  private void respond(Status status, ByteBuf frame) {
    boolean isLost = isLost();
    if (!completed.compareAndSet(false, true)) {
      frame.release();
      return;
    }
    Timeout armed = timeout;
    if (armed != null) {
      armed.cancel();
    }
    Future<?> pending = awaited;
    if (pending != null) {
      pending.cancel(false);
    }
    metrics.responded(opcode, status, System.nanoTime() - arrivedNanos);
    audit(status);
    if (isLost) {
      frame.release();
      permit.release();
      return;
    }
    permit.grow(frame.readableBytes());
    responses.send(Frames.end(frame), permit::release);
  }

  private void audit(Status status) {
    if (status == Status.DENIED) {
      AuditLog.denied(sender, client(), subject());
    } else if (opcode.isOfOperators() && isAdmitted) {
      // Others have no effect, and strangers could write any number of lines with them.
      AuditLog.administered(sender, client(), subject(), status.name().toLowerCase(Locale.ROOT));
    }
  }

  private SocketAddress client() {
    return responses.channel().remoteAddress();
  }

  private String subject() {
    String kind = opcode.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return described.isEmpty() ? kind : kind + ": " + described;
  }

  /**
   * Whether a test loses the response, as if the network did. Greetings pass: without one a client
   * sends nothing whose response could be lost.
   */
  private boolean isLost() {
    if (opcode == Opcode.HELLO) {
      return false;
    }
    try {
      BEFORE_REPLY.reached(responses.channel().localAddress());
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
