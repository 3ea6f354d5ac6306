package io.quorate.replication.coded;

import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyRound.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What every majority of some servers can do, found by trying all of them; and changes of servers.
 */
public final class Majorities {
  private Majorities() {}

  /** Whether each can restore a body that is held so. */
  public static boolean canRestore(
      Map<NodeId, Form> held, List<NodeId> servers, int dataFragments) {
    for (int set = 0; set < 1 << servers.size(); set++) {
      if (Integer.bitCount(set) != servers.size() / 2 + 1) {
        continue;
      }
      int fragments = 0;
      int complete = 0;
      for (int i = 0; i < servers.size(); i++) {
        Form form = (set & 1 << i) == 0 ? null : held.get(servers.get(i));
        fragments += form == Form.FRAGMENT ? 1 : 0;
        complete += form == Form.COMPLETE ? 1 : 0;
      }
      if (complete == 0 && fragments < dataFragments) {
        return false;
      }
    }
    return true;
  }

  /** One member is added, removed or replaced at random; the first stays. */
  public static List<NodeId> changed(Random random, List<NodeId> present) {
    List<NodeId> next = new ArrayList<>(present);
    if (present.size() > 1 && random.nextBoolean()) {
      next.remove(1 + random.nextInt(present.size() - 1));
    }
    if (next.size() == present.size() || random.nextBoolean()) {
      next.add(new NodeId("n9"));
    }
    return next;
  }
}
