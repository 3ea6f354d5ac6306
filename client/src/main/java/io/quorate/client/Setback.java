package io.quorate.client;

import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Failure;

/** How one attempt at a request ended without an answer of use. */
sealed interface Setback {

  /** One sentence for the caller, without the full stop. */
  String reason();

  /** Whether the server may have begun to carry the request out. */
  boolean mayHaveHappened();

  /**
   * The server said no.
   *
   * @param node who said so, as a caller would recognise it
   * @param status anything but {@link Status#OK}
   */
  record Answered(String node, Status status, Failure failure) implements Setback {
    @Override
    public String reason() {
      String said = failure.getMessage().strip();
      String text = said.isEmpty() ? "it answered " + status : said;
      return node + " says: " + (text.endsWith(".") ? text.substring(0, text.length() - 1) : text);
    }

    @Override
    public boolean mayHaveHappened() {
      return status == Status.INDETERMINATE || status == Status.INTERNAL;
    }
  }

  /**
   * There is no connection, or it was lost.
   *
   * @param sent whether the request may have reached the server
   */
  record Lost(boolean sent, String reason) implements Setback {
    @Override
    public boolean mayHaveHappened() {
      return sent;
    }
  }

  /**
   * No answer came in time.
   *
   * @param sent whether the request may have reached the server
   * @param cutShort whether the call's deadline left the server less time than an attempt has
   */
  record TimedOut(boolean sent, boolean cutShort, String reason) implements Setback {
    @Override
    public boolean mayHaveHappened() {
      return sent;
    }
  }

  /** Enough replicas answered, or none was left to ask, and yet nothing came of it. */
  record Inconclusive(String reason) implements Setback {
    @Override
    public boolean mayHaveHappened() {
      return false;
    }
  }

  /** What answers there is not a server of this cluster. */
  record Incompatible(String reason) implements Setback {
    @Override
    public boolean mayHaveHappened() {
      return false;
    }
  }

  /** The request breaks a limit that the server announced; it was not sent. */
  record TooLarge(String reason) implements Setback {
    @Override
    public boolean mayHaveHappened() {
      return false;
    }
  }
}
