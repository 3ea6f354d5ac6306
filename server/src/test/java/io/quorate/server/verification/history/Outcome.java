package io.quorate.server.verification.history;

/** What the client knows about its operation. */
public sealed interface Outcome {

  /** The operation took effect between invocation and completion, with this answer. */
  record Ok(Answer answer) implements Outcome {
    @Override
    public String toString() {
      return answer.toString();
    }
  }

  /** The operation did not take effect and never will. */
  record Failed() implements Outcome {
    @Override
    public String toString() {
      return "failed";
    }
  }

  /** The operation takes effect once at any time after its invocation, or never. */
  record Indeterminate() implements Outcome {
    @Override
    public String toString() {
      return "indeterminate";
    }
  }

  Outcome FAILED = new Failed();
  Outcome INDETERMINATE = new Indeterminate();
}
