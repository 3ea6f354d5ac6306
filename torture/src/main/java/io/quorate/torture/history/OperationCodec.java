package io.quorate.torture.history;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;

/** Encodes and decodes an operation as a line of JSON in the format of docs/histories.md. */
final class OperationCodec {
  private OperationCodec() {}

  static String encode(Operation operation) {
    StringWriter line = new StringWriter();
    try (JsonGenerator to = FlatObject.writer(line)) {
      to.writeStartObject();
      to.writeNumberProperty("id", operation.id());
      to.writeNumberProperty("client", operation.client());
      encodeAction(operation.action(), to);
      to.writeNumberProperty("invoked", operation.invokedNanos());
      to.writeNumberProperty("completed", operation.completedNanos());
      encodeOutcome(operation.outcome(), to);
      to.writeEndObject();
    }
    return line.toString();
  }

  /**
   * @throws MalformedHistoryException if the line is not exactly one operation
   */
  static Operation decode(String line) {
    FlatObject from = FlatObject.read(line);
    long id = from.takeNumber("id");
    long client = from.takeNumber("client");
    if (client != (int) client) {
      throw new MalformedHistoryException("Field \"client\" is a number of 32 bits");
    }
    Action action = decodeAction(from);
    long invoked = from.takeNumber("invoked");
    long completed = from.takeNumber("completed");
    String word = from.takeText("outcome");
    Outcome outcome =
        switch (word) {
          case "ok" -> new Outcome.Ok(decodeResult(action, from));
          case "failed" -> Outcome.FAILED;
          case "indeterminate" -> Outcome.INDETERMINATE;
          default -> throw new MalformedHistoryException("There is no outcome \"" + word + "\"");
        };
    from.requireEmpty();
    try {
      return new Operation(id, (int) client, action, invoked, completed, outcome);
    } catch (IllegalArgumentException e) {
      throw new MalformedHistoryException(e.getMessage());
    }
  }

  private static JsonGenerator encodeAction(Action action, JsonGenerator to) {
    to.writeStringProperty("op", action.kind().word());
    if (action instanceof Action.OnKey onKey) {
      to.writeStringProperty("key", onKey.key());
    }
    return switch (action.kind()) {
      case GET, DELETE -> to;
      case PUT -> to.writeStringProperty("value", ((Action.Put) action).value());
      case COMPARE_AND_SET -> {
        Action.CompareAndSet cas = (Action.CompareAndSet) action;
        write("expected", cas.expected(), to);
        yield write("replacement", cas.replacement(), to);
      }
      case INCREMENT -> to.writeNumberProperty("delta", ((Action.Increment) action).delta());
      case INCREMENT_AND_GET ->
          to.writeNumberProperty("delta", ((Action.IncrementAndGet) action).delta());
      case APPEND -> to.writeStringProperty("suffix", ((Action.Append) action).suffix());
      case GET_AND_PUT -> to.writeStringProperty("value", ((Action.GetAndPut) action).value());
      case BATCH -> {
        to.writeArrayPropertyStart("changes");
        for (Action.Change change : ((Action.Batch) action).changes()) {
          to.writeString(change.key()).writeString(change.written().orElse(null));
        }
        yield to.writeEndArray();
      }
      case SCAN -> {
        Action.Scan scan = (Action.Scan) action;
        to.writeStringProperty("from", scan.from());
        yield to.writeStringProperty("to", scan.to());
      }
    };
  }

  /** Writes null for an empty text. */
  private static JsonGenerator write(String name, Optional<String> text, JsonGenerator to) {
    return to.writeStringProperty(name, text.orElse(null));
  }

  private static Action decodeAction(FlatObject from) {
    String op = from.takeText("op");
    Action.Kind kind =
        Action.Kind.of(op)
            .orElseThrow(
                () -> new MalformedHistoryException("There is no operation \"" + op + "\""));
    return switch (kind) {
      case GET -> new Action.Get(from.takeText("key"));
      case PUT -> new Action.Put(from.takeText("key"), from.takeText("value"));
      case DELETE -> new Action.Delete(from.takeText("key"));
      case COMPARE_AND_SET ->
          new Action.CompareAndSet(
              from.takeText("key"),
              from.takeOptionalText("expected"),
              from.takeOptionalText("replacement"));
      case INCREMENT -> new Action.Increment(from.takeText("key"), from.takeNumber("delta"));
      case INCREMENT_AND_GET ->
          new Action.IncrementAndGet(from.takeText("key"), from.takeNumber("delta"));
      case APPEND -> new Action.Append(from.takeText("key"), from.takeText("suffix"));
      case GET_AND_PUT -> new Action.GetAndPut(from.takeText("key"), from.takeText("value"));
      case BATCH -> batch(from.takeTexts("changes"));
      case SCAN -> scan(from.takeText("from"), from.takeText("to"));
    };
  }

  private static Action.Scan scan(String from, String to) {
    try {
      return new Action.Scan(from, to);
    } catch (IllegalArgumentException e) {
      throw new MalformedHistoryException(e.getMessage());
    }
  }

  private static Action.Batch batch(List<Optional<String>> texts) {
    List<Action.Change> changes = new ArrayList<>();
    forEachPair(
        "changes",
        texts,
        (key, value) ->
            changes.add(
                value.isPresent() ? new Action.Put(key, value.get()) : new Action.Delete(key)));
    return new Action.Batch(changes);
  }

  private static JsonGenerator encodeOutcome(Outcome outcome, JsonGenerator to) {
    return switch (outcome.kind()) {
      case OK -> {
        to.writeStringProperty("outcome", "ok");
        yield encodeResult(((Outcome.Ok) outcome).result(), to);
      }
      case FAILED -> to.writeStringProperty("outcome", "failed");
      case INDETERMINATE -> to.writeStringProperty("outcome", "indeterminate");
    };
  }

  private static JsonGenerator encodeResult(Result result, JsonGenerator to) {
    return switch (result.kind()) {
      case DONE -> to;
      case FOUND -> write("found", ((Result.Found) result).value(), to);
      case SWAP -> {
        Result.Swap swap = (Result.Swap) result;
        to.writeBooleanProperty("swapped", swap.swapped());
        yield swap.swapped() ? to : write("found", swap.found(), to);
      }
      case SUM -> to.writeNumberProperty("sum", ((Result.Sum) result).value());
      case REFUSED -> to.writeBooleanProperty("refused", true);
      case ROWS -> {
        to.writeArrayPropertyStart("rows");
        ((Result.Rows) result)
            .rows()
            .forEach((key, value) -> to.writeString(key).writeString(value));
        yield to.writeEndArray();
      }
    };
  }

  private static Result decodeResult(Action action, FlatObject from) {
    return switch (action.kind()) {
      case GET, GET_AND_PUT -> new Result.Found(from.takeOptionalText("found"));
      case COMPARE_AND_SET ->
          from.takeFlag("swapped")
              ? new Result.Swap(true, Optional.empty())
              : new Result.Swap(false, from.takeOptionalText("found"));
      case INCREMENT_AND_GET -> sum(from);
      case SCAN -> rows(from.takeTexts("rows"));
      case PUT, DELETE, INCREMENT, APPEND, BATCH -> Result.DONE;
    };
  }

  private static Result sum(FlatObject from) {
    if (!from.has("refused")) {
      return new Result.Sum(from.takeNumber("sum"));
    }
    if (!from.takeFlag("refused")) {
      throw new MalformedHistoryException("Field \"refused\" can only be true");
    }
    return Result.REFUSED;
  }

  private static Result rows(List<Optional<String>> texts) {
    SortedMap<String, String> rows = new TreeMap<>();
    forEachPair(
        "rows",
        texts,
        (key, value) -> {
          String text =
              value.orElseThrow(
                  () -> new MalformedHistoryException("A row of \"rows\" has no value"));
          if (rows.put(key, text) != null) {
            throw new MalformedHistoryException("A key is repeated in \"rows\"");
          }
        });
    return new Result.Rows(rows);
  }

  private interface Pair {
    void accept(String key, Optional<String> value);
  }

  private static void forEachPair(String field, List<Optional<String>> texts, Pair pair) {
    if (texts.size() % 2 != 0) {
      throw new MalformedHistoryException("Field \"" + field + "\" must alternate keys and values");
    }
    for (int i = 0; i < texts.size(); i += 2) {
      String key =
          texts
              .get(i)
              .orElseThrow(
                  () -> new MalformedHistoryException("A key of \"" + field + "\" is null"));
      pair.accept(key, texts.get(i + 1));
    }
  }
}
