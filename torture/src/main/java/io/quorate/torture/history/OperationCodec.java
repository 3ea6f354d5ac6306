package io.quorate.torture.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Encodes and decodes an operation as a line of JSON in the format of docs/histories.md. */
final class OperationCodec {
  private OperationCodec() {}

  static String encode(Operation operation) {
    JsonObject to = new JsonObject().with("id", operation.id()).with("client", operation.client());
    encodeAction(operation.action(), to);
    to.with("invoked", operation.invokedNanos()).with("completed", operation.completedNanos());
    if (operation.outcome() instanceof Outcome.Ok ok) {
      to.with("outcome", "ok");
      encodeResult(ok.result(), to);
    } else {
      boolean failed = operation.outcome() instanceof Outcome.Failed;
      to.with("outcome", failed ? "failed" : "indeterminate");
    }
    return to.toString();
  }

  /**
   * @throws MalformedHistoryException if the line is not exactly one operation
   */
  static Operation decode(String line) {
    JsonObject from = JsonObject.parse(line);
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

  private static void encodeAction(Action action, JsonObject to) {
    if (action instanceof Action.Scan scan) {
      to.with("op", "scan").with("from", scan.from()).with("to", scan.to());
    } else if (action instanceof Action.Batch batch) {
      to.with("op", "batch").with("changes", changes(batch));
    } else {
      encodeOnKey((Action.OnKey) action, to);
    }
  }

  private static void encodeOnKey(Action.OnKey action, JsonObject to) {
    to.with("op", name(action)).with("key", action.key());
    if (action instanceof Action.Put put) {
      to.with("value", put.value());
    } else if (action instanceof Action.GetAndPut swap) {
      to.with("value", swap.value());
    } else if (action instanceof Action.CompareAndSet cas) {
      to.with("expected", cas.expected()).with("replacement", cas.replacement());
    } else if (action instanceof Action.Increment increment) {
      to.with("delta", increment.delta());
    } else if (action instanceof Action.IncrementAndGet increment) {
      to.with("delta", increment.delta());
    } else if (action instanceof Action.Append append) {
      to.with("suffix", append.suffix());
    }
  }

  private static String name(Action.OnKey action) {
    if (action instanceof Action.Get) {
      return "get";
    } else if (action instanceof Action.Put) {
      return "put";
    } else if (action instanceof Action.Delete) {
      return "delete";
    } else if (action instanceof Action.CompareAndSet) {
      return "cas";
    } else if (action instanceof Action.Increment) {
      return "increment";
    } else if (action instanceof Action.IncrementAndGet) {
      return "increment-and-get";
    }
    return action instanceof Action.Append ? "append" : "get-and-put";
  }

  private static Action decodeAction(JsonObject from) {
    String op = from.takeText("op");
    return switch (op) {
      case "get" -> new Action.Get(from.takeText("key"));
      case "put" -> new Action.Put(from.takeText("key"), from.takeText("value"));
      case "delete" -> new Action.Delete(from.takeText("key"));
      case "cas" ->
          new Action.CompareAndSet(
              from.takeText("key"),
              from.takeOptionalText("expected"),
              from.takeOptionalText("replacement"));
      case "increment" -> new Action.Increment(from.takeText("key"), from.takeNumber("delta"));
      case "increment-and-get" ->
          new Action.IncrementAndGet(from.takeText("key"), from.takeNumber("delta"));
      case "append" -> new Action.Append(from.takeText("key"), from.takeText("suffix"));
      case "get-and-put" -> new Action.GetAndPut(from.takeText("key"), from.takeText("value"));
      case "batch" -> batch(from.takeTexts("changes"));
      case "scan" -> scan(from.takeText("from"), from.takeText("to"));
      default -> throw new MalformedHistoryException("There is no operation \"" + op + "\"");
    };
  }

  private static Action.Scan scan(String from, String to) {
    try {
      return new Action.Scan(from, to);
    } catch (IllegalArgumentException e) {
      throw new MalformedHistoryException(e.getMessage());
    }
  }

  private static List<Optional<String>> changes(Action.Batch batch) {
    List<Optional<String>> texts = new ArrayList<>();
    for (Action.Change change : batch.changes()) {
      texts.add(Optional.of(change.key()));
      texts.add(change instanceof Action.Put put ? Optional.of(put.value()) : Optional.empty());
    }
    return texts;
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

  private static void encodeResult(Result result, JsonObject to) {
    if (result instanceof Result.Found found) {
      to.with("found", found.value());
    } else if (result instanceof Result.Swap swap) {
      to.with("swapped", swap.swapped());
      if (!swap.swapped()) {
        to.with("found", swap.found());
      }
    } else if (result instanceof Result.Sum sum) {
      to.with("sum", sum.value());
    } else if (result instanceof Result.Refused) {
      to.with("refused", true);
    } else if (result instanceof Result.Rows rows) {
      List<Optional<String>> texts = new ArrayList<>();
      for (Map.Entry<String, String> row : rows.rows().entrySet()) {
        texts.add(Optional.of(row.getKey()));
        texts.add(Optional.of(row.getValue()));
      }
      to.with("rows", texts);
    }
  }

  private static Result decodeResult(Action action, JsonObject from) {
    if (action instanceof Action.Get || action instanceof Action.GetAndPut) {
      return new Result.Found(from.takeOptionalText("found"));
    } else if (action instanceof Action.CompareAndSet) {
      return from.takeFlag("swapped")
          ? new Result.Swap(true, Optional.empty())
          : new Result.Swap(false, from.takeOptionalText("found"));
    } else if (action instanceof Action.IncrementAndGet) {
      return sum(from);
    } else if (action instanceof Action.Scan) {
      return rows(from.takeTexts("rows"));
    }
    return Result.DONE;
  }

  private static Result sum(JsonObject from) {
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
