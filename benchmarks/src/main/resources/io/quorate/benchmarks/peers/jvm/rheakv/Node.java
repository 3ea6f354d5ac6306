package peer;

import com.alipay.sofa.jraft.rhea.client.DefaultRheaKVStore;
import com.alipay.sofa.jraft.rhea.options.PlacementDriverOptions;
import com.alipay.sofa.jraft.rhea.options.RheaKVStoreOptions;
import com.alipay.sofa.jraft.rhea.options.RocksDBOptions;
import com.alipay.sofa.jraft.rhea.options.StoreEngineOptions;
import com.alipay.sofa.jraft.rhea.storage.StorageType;
import com.alipay.sofa.jraft.util.Endpoint;
import java.nio.file.Files;
import java.nio.file.Path;

/** A node, which stops when its standard input ends. */
public final class Node {
  private Node() {}

  /**
   * @param arguments the number of the node, from 0, and the addresses of all
   */
  public static void main(String[] arguments) throws Exception {
    Bolt.configure();
    String[] self = arguments[1].split(",")[Integer.parseInt(arguments[0])].split(":");
    Path log = Files.createDirectories(Path.of("log").toAbsolutePath());
    Path database = Files.createDirectories(Path.of("database").toAbsolutePath());

    RocksDBOptions rocks = new RocksDBOptions();
    rocks.setDbPath(database.toString());
    // The log is synced and repeats what this would lose.
    rocks.setSync(false);
    StoreEngineOptions store = new StoreEngineOptions();
    store.setStorageType(StorageType.RocksDB);
    store.setRocksDBOptions(rocks);
    store.setRaftDataPath(log.toString());
    store.setServerAddress(new Endpoint(self[0], Integer.parseInt(self[1])));
    PlacementDriverOptions placement = new PlacementDriverOptions();
    placement.setFake(true);
    RheaKVStoreOptions options = new RheaKVStoreOptions();
    options.setClusterName(Client.CLUSTER);
    options.setInitialServerList(arguments[1]);
    options.setPlacementDriverOptions(placement);
    options.setStoreEngineOptions(store);

    if (!new DefaultRheaKVStore().init(options)) {
      System.err.println("The node does not start.");
      Runtime.getRuntime().halt(1);
    }
    while (System.in.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }
}
