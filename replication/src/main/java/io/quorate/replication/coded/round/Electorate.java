package io.quorate.replication.coded.round;

import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyRound.Form;
import java.util.List;
import java.util.Map;

/**
 * Servers of which every majority may elect a leader, and therefore has to be able to restore a
 * body. While members change, there are two electorates.
 *
 * @param quorums of so many servers, for the fragments of the body
 */
public record Electorate(List<NodeId> servers, BodyQuorums quorums) {
  public Electorate(List<NodeId> servers, int dataFragments) {
    this(List.copyOf(servers), new BodyQuorums(servers.size(), dataFragments));
  }

  /**
   * Whether every majority can restore a body.
   *
   * @param held what servers hold, of this electorate and of others
   */
  public boolean canRestore(Map<NodeId, Form> held) {
    int fragments = 0;
    int complete = 0;
    for (NodeId server : servers) {
      Form form = held.get(server);
      fragments += form == Form.FRAGMENT ? 1 : 0;
      complete += form == Form.COMPLETE ? 1 : 0;
    }
    return quorums.areMet(fragments, complete);
  }
}
