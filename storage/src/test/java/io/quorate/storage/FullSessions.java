package io.quorate.storage;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.session.SessionTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that fills the sessions of a region to their bounds, splits it twice, and opens the
 * three regions again, with a second copy of the sessions for replies at commit. It prints the
 * number of sessions at the end.
 */
final class FullSessions {
  private static final int BATCH = 1024;
  private static final int RESULTS_OF_EACH = 4;
  private static final StorageOptions OPTIONS =
      TestRegion.OPTIONS.toBuilder().replyAtCommit(true).readAcceleration(true).build();

  private FullSessions() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    try (Storage storage = Storage.open(directory, OPTIONS, MetricsSink.NONE)) {
      RegionLog region = new RegionLog(storage.region(new GroupId(1), KeyRange.ALL, Keyspace.DATA));
      for (int first = 0; first < SessionTable.CLIENTS_MAX; first += BATCH) {
        region.applyTogether(batch(first));
      }
      region.apply(RegionLog.split("m", 2));
      RegionLog child = new RegionLog(storage.region(new GroupId(2), Keyspace.DATA));
      child.apply(RegionLog.split("t", 3));
      RegionLog grandchild = new RegionLog(storage.region(new GroupId(3), Keyspace.DATA));
      grandchild.apply(new Operation.Put(Key.utf8("z"), TestRegion.bytes("1")));
    }
    try (Storage storage = Storage.open(directory, OPTIONS, MetricsSink.NONE)) {
      List<RegionStore> stores = new ArrayList<>();
      stores.add(
          storage.region(new GroupId(1), KeyRange.of(Key.EMPTY, Key.utf8("m")), Keyspace.DATA));
      stores.add(storage.region(new GroupId(2), Keyspace.DATA));
      stores.add(storage.region(new GroupId(3), Keyspace.DATA));
      int sessions = 0;
      for (RegionStore store : stores) {
        store.open();
        sessions += store.sessionCount();
      }
      System.out.println(sessions);
    }
  }

  private static ClientCommand[] batch(int first) {
    ClientCommand[] batch = new ClientCommand[BATCH * RESULTS_OF_EACH];
    for (int i = 0; i < batch.length; i++) {
      RequestId tag =
          new RequestId(new ClientId(7, first + i / RESULTS_OF_EACH), 1 + i % RESULTS_OF_EACH, 1);
      batch[i] = new ClientCommand(tag, new Operation.Put(Key.utf8("k"), TestRegion.bytes("v")));
    }
    return batch;
  }
}
