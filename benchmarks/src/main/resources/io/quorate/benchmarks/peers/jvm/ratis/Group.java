package peer;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;

/** The group of all nodes. */
final class Group {
  private static final UUID ID = new UUID(0, 1);

  private Group() {}

  /**
   * @param addresses of the nodes, separated by commas
   */
  static RaftGroup of(String addresses) {
    return RaftGroup.valueOf(RaftGroupId.valueOf(ID), peers(addresses));
  }

  static List<RaftPeer> peers(String addresses) {
    List<RaftPeer> peers = new ArrayList<>();
    for (String address : addresses.split(",")) {
      peers.add(
          RaftPeer.newBuilder().setId("n" + (peers.size() + 1)).setAddress(address).build());
    }
    return peers;
  }
}
