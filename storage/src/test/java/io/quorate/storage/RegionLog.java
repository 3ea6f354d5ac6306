package io.quorate.storage;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The log of one of several regions of a storage: commits requests at consecutive positions. */
final class RegionLog {
  final RegionStore store;
  private long index;

  /** Opens the region; the log continues from its position. */
  RegionLog(RegionStore store) throws IOException {
    this.store = store;
    store.open();
    this.index = store.applied().index();
  }

  static Operation.Split split(String at, int child) {
    return new Operation.Split(Key.utf8(at), new GroupId(child));
  }

  static Operation.Freeze freeze(int merge) {
    return new Operation.Freeze(new GroupId(merge));
  }

  static Operation.Unfreeze unfreeze(int merge) {
    return new Operation.Unfreeze(new GroupId(merge));
  }

  /** The command that absorbs a region in the state that it has now. */
  static Operation.Absorb absorb(RegionStore store, int merge) {
    return store.mergeState().absorb(new GroupId(merge)).orElseThrow();
  }

  Result apply(ClientCommand request) {
    return applyTogether(request).get(0);
  }

  Result apply(Operation operation) {
    return apply(TestRegion.untagged(operation));
  }

  /** Commits requests as one batch and waits for the results. */
  List<Result> applyTogether(ClientCommand... requests) {
    return TestRegion.results(commit(List.of(requests)));
  }

  List<CompletableFuture<Result>> commit(List<ClientCommand> requests) {
    return commitAt(++index, requests);
  }

  List<CompletableFuture<Result>> commitAt(long at, List<ClientCommand> requests) {
    index = Math.max(index, at);
    return TestRegion.commitTo(
        store, TestRegion.at(at), requests.stream().map(ClientCommand::encoded).toList());
  }

  Optional<String> get(String key) {
    return store.get(Key.utf8(key)).map(value -> new String(value, StandardCharsets.UTF_8));
  }
}
