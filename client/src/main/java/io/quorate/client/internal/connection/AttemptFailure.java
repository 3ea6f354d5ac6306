package io.quorate.client.internal.connection;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.quorate.client.DeniedException;
import io.quorate.client.IncompatibleException;
import io.quorate.client.QuorateException;
import io.quorate.common.DecodeException;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import java.io.IOException;
import java.util.Optional;

/** The reason why one attempt at a request ended without a usable response. */
public sealed interface AttemptFailure {

  /**
   * The kinds of failures, one for each record. A switch expression over them compiles only if it
   * covers every failure.
   */
  enum Kind {
    ERROR_RESPONSE,
    LOST,
    TIMED_OUT,
    INCONCLUSIVE,
    INCOMPATIBLE,
    TOO_LARGE
  }

  Kind kind();

  /** One sentence for the caller, without the full stop. */
  String reason();

  /** Whether the server may have begun to execute the request. */
  boolean mayHaveHappened();

  /** What this client threw, if that is the reason. */
  default Optional<Throwable> cause() {
    return Optional.empty();
  }

  /**
   * The server responded with an error.
   *
   * @param node the node that responded, in a form that the caller recognises
   * @param status any status but {@link Status#OK}
   */
  record ErrorResponse(String node, Status status, Failure failure) implements AttemptFailure {
    /**
     * Reads the body of a response.
     *
     * @throws DecodeException if the body is malformed
     */
    static ErrorResponse read(String node, Status status, ByteBuf body) {
      try {
        return new ErrorResponse(node, status, Failure.parseFrom(new ByteBufInputStream(body)));
      } catch (InvalidProtocolBufferException e) {
        throw new DecodeException("an error response is malformed");
      } catch (IOException e) {
        throw new DecodeException("an error response is malformed: " + e.getMessage());
      }
    }

    @Override
    public Kind kind() {
      return Kind.ERROR_RESPONSE;
    }

    @Override
    public String reason() {
      String message = failure.getMessage().strip();
      String text = message.isEmpty() ? "it responded " + status : message;
      return node
          + " responded: "
          + (text.endsWith(".") ? text.substring(0, text.length() - 1) : text);
    }

    @Override
    public boolean mayHaveHappened() {
      return status == Status.INDETERMINATE || status == Status.INTERNAL;
    }
  }

  /**
   * There is no connection, or the connection was lost.
   *
   * @param sent whether the request may have reached the server
   * @param cause what this client threw, if that is the reason
   */
  record Lost(boolean sent, String reason, Optional<Throwable> cause) implements AttemptFailure {
    public Lost(boolean sent, String reason) {
      this(sent, reason, Optional.empty());
    }

    /** The same for a request that was not sent. */
    public Lost unsent() {
      return new Lost(false, reason, cause);
    }

    @Override
    public Kind kind() {
      return Kind.LOST;
    }

    @Override
    public boolean mayHaveHappened() {
      return sent;
    }
  }

  /**
   * No response was received in time.
   *
   * @param sent whether the request may have reached the server
   * @param cutShort whether the deadline of the call left the attempt less than its full timeout
   */
  record TimedOut(boolean sent, boolean cutShort, String reason) implements AttemptFailure {
    @Override
    public Kind kind() {
      return Kind.TIMED_OUT;
    }

    @Override
    public boolean mayHaveHappened() {
      return sent;
    }
  }

  /** Enough replicas responded, or no replica is left to query, but there is no result. */
  record Inconclusive(String reason) implements AttemptFailure {
    @Override
    public Kind kind() {
      return Kind.INCONCLUSIVE;
    }

    @Override
    public boolean mayHaveHappened() {
      return false;
    }
  }

  /**
   * The server at the address does not belong to this cluster, or does not let this client in.
   *
   * @param isDenied whether it is the latter
   */
  record Incompatible(String reason, boolean isDenied) implements AttemptFailure {
    public Incompatible(String reason) {
      this(reason, false);
    }

    /** The failure of a call for this reason. */
    public QuorateException exception() {
      return isDenied ? new DeniedException(reason + ".") : new IncompatibleException(reason + ".");
    }

    @Override
    public Kind kind() {
      return Kind.INCOMPATIBLE;
    }

    @Override
    public boolean mayHaveHappened() {
      return false;
    }
  }

  /** The request exceeds a limit that the server announced; it was not sent. */
  record TooLarge(String reason) implements AttemptFailure {
    @Override
    public Kind kind() {
      return Kind.TOO_LARGE;
    }

    @Override
    public boolean mayHaveHappened() {
      return false;
    }
  }
}
