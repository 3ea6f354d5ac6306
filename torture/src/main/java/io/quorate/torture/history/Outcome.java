package io.quorate.torture.history;

/** The outcome of an operation, as far as the client knows it. */
public sealed interface Outcome {

  /**
   * The kinds of outcomes, one for each record. A switch expression over them compiles only if it
   * covers every outcome.
   */
  enum Kind {
    OK,
    FAILED,
    INDETERMINATE
  }

  Kind kind();

  /** The operation took effect between invocation and completion, with this result. */
  record Ok(Result result) implements Outcome {
    @Override
    public Kind kind() {
      return Kind.OK;
    }

    @Override
    public String toString() {
      return result.toString();
    }
  }

  /** The operation did not take effect and never will. */
  record Failed() implements Outcome {
    @Override
    public Kind kind() {
      return Kind.FAILED;
    }

    @Override
    public String toString() {
      return "failed";
    }
  }

  /** The operation takes effect once at any time after its invocation, or never. */
  record Indeterminate() implements Outcome {
    @Override
    public Kind kind() {
      return Kind.INDETERMINATE;
    }

    @Override
    public String toString() {
      return "indeterminate";
    }
  }

  Outcome FAILED = new Failed();
  Outcome INDETERMINATE = new Indeterminate();
}
