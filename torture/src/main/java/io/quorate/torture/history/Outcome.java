package io.quorate.torture.history;

/** The outcome of an operation, as far as the client knows it. */
public sealed interface Outcome {

  /** The operation took effect between invocation and completion, with this result. */
  record Ok(Result result) implements Outcome {
    @Override
    public String toString() {
      return result.toString();
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
