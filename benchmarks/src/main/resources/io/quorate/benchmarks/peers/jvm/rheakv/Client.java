package peer;

import com.alipay.sofa.jraft.rhea.client.DefaultRheaKVStore;
import com.alipay.sofa.jraft.rhea.client.RheaKVStore;
import com.alipay.sofa.jraft.rhea.options.PlacementDriverOptions;
import com.alipay.sofa.jraft.rhea.options.RegionRouteTableOptions;
import com.alipay.sofa.jraft.rhea.options.RheaKVStoreOptions;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/** A client that puts the value of a key, or gets it if the value is null. */
public final class Client
    implements BiFunction<byte[], byte[], CompletionStage<byte[]>>, AutoCloseable {
  static final String CLUSTER = "peers";

  /** The number of the only region where none is configured. */
  private static final long REGION = -1;

  private final RheaKVStore store;

  /**
   * @param addresses of the nodes, separated by commas
   */
  public Client(String addresses) {
    Bolt.configure();
    store = new DefaultRheaKVStore();
    RegionRouteTableOptions region = new RegionRouteTableOptions();
    region.setRegionId(REGION);
    region.setInitialServerList(addresses);
    PlacementDriverOptions placement = new PlacementDriverOptions();
    placement.setFake(true);
    placement.setRegionRouteTableOptionsList(List.of(region));
    RheaKVStoreOptions options = new RheaKVStoreOptions();
    options.setClusterName(CLUSTER);
    options.setInitialServerList(addresses);
    options.setPlacementDriverOptions(placement);
    if (!store.init(options)) {
      throw new IllegalStateException("The client does not start.");
    }
  }

  @Override
  public CompletionStage<byte[]> apply(byte[] key, byte[] value) {
    if (value == null) {
      return store.get(key);
    }
    return store
        .put(key, value)
        .thenApply(
            done -> {
              if (!done) {
                throw new IllegalStateException("The put failed.");
              }
              return null;
            });
  }

  @Override
  public void close() {
    store.shutdown();
  }
}
