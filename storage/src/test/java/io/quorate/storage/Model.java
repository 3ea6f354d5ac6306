package io.quorate.storage;

import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.KnownPosition;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The specified behaviour of a region, as simple as possible. */
public final class Model {
  private static final class Client {
    private final Map<Long, Result> results = new HashMap<>();
    private long floor;
    private Position lastActive;
    private boolean ended;
  }

  private final int window;
  private final Map<ClientId, Client> clients = new HashMap<>();

  /** The last activity of the sessions that were removed. */
  private long limit = -1;

  public final TreeMap<String, String> rows = new TreeMap<>();

  Model(int window) {
    this.window = window;
  }

  int sessions() {
    return clients.size();
  }

  public Result apply(ClientCommand request, Position at) {
    ClientId id = request.tag().client();
    if (id.equals(ClientId.ANONYMOUS)) {
      return apply(request.operation());
    }
    if (request.operation() instanceof Operation.EndSession) {
      if (clients.containsKey(id)) {
        clients.get(id).ended = true;
        clients.get(id).results.clear();
      }
      return Result.DONE;
    }
    KnownPosition known = request.tag().known();
    boolean isOutdated = known.isNone() ? limit >= 0 : known.index() < limit;
    if (isOutdated
        && !(clients.containsKey(id)
            && clients.get(id).results.containsKey(request.tag().sequence()))) {
      return Result.OUTDATED;
    }
    Client client = clients.computeIfAbsent(id, any -> new Client());
    if (client.ended) {
      return Result.OUTDATED;
    }
    client.lastActive = at;
    if (request.tag().sequence() < client.floor) {
      return Result.FORGOTTEN;
    }
    client.floor = Math.max(client.floor, request.tag().floor());
    client.results.keySet().removeIf(sequence -> sequence < client.floor);
    if (client.results.containsKey(request.tag().sequence())) {
      return client.results.get(request.tag().sequence());
    }
    if (client.results.size() >= window) {
      return Result.FORGOTTEN;
    }
    Result result = apply(request.operation());
    client.results.put(request.tag().sequence(), result);
    return result;
  }

  private Result apply(Operation operation) {
    if (operation instanceof Operation.EndSession) {
      return Result.DONE;
    } else if (operation instanceof Operation.Batch batch) {
      batch.operations().forEach(this::apply);
      return Result.DONE;
    } else if (operation instanceof Operation.ExpireSessions expire) {
      for (Client client : List.copyOf(clients.values())) {
        if (client.lastActive.index() < expire.before().index()) {
          limit = Math.max(limit, client.lastActive.index());
          clients.values().remove(client);
        }
      }
      return Result.DONE;
    }
    String key = new String(((Operation.OnKey) operation).key().bytes(), StandardCharsets.UTF_8);
    Optional<String> before = Optional.ofNullable(rows.get(key));
    if (operation instanceof Operation.Put put) {
      rows.put(key, TestRegion.text(put.value()));
      return Result.DONE;
    } else if (operation instanceof Operation.Delete) {
      rows.remove(key);
      return Result.DONE;
    } else if (operation instanceof Operation.Append append) {
      String after = before.orElse("") + TestRegion.text(append.suffix());
      if (after.length() <= append.valueBytesMax()) {
        rows.put(key, after);
      }
      return Result.DONE;
    } else if (operation instanceof Operation.Increment increment) {
      add(key, before, increment.delta());
      return Result.DONE;
    } else if (operation instanceof Operation.IncrementAndGet increment) {
      return add(key, before, increment.delta());
    } else if (operation instanceof Operation.GetAndPut swap) {
      rows.put(key, TestRegion.text(swap.value()));
      return new Result.Value(before.map(TestRegion::bytes));
    }
    Operation.CompareAndSet cas = (Operation.CompareAndSet) operation;
    if (!before.equals(cas.expected().map(TestRegion::text))) {
      return new Result.Swap(false, before.map(TestRegion::bytes));
    }
    rows.remove(key);
    cas.replacement().ifPresent(value -> rows.put(key, TestRegion.text(value)));
    return new Result.Swap(true, Optional.empty());
  }

  private Result add(String key, Optional<String> before, long delta) {
    String text = before.orElse("0");
    if (!text.matches("-?[0-9]+") || new BigInteger(text).bitLength() > 63) {
      return new Result.Refused("number");
    }
    BigInteger sum = new BigInteger(text).add(BigInteger.valueOf(delta));
    if (sum.bitLength() > 63) {
      return new Result.Refused("sum");
    }
    rows.put(key, sum.toString());
    return new Result.Number(sum.longValue());
  }

  /** Whether results are equivalent; the message of a rejection is not part of the contract. */
  static boolean equivalent(Result one, Result other) {
    return one.equals(other) || (one instanceof Result.Refused && other instanceof Result.Refused);
  }
}
