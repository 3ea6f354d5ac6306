package io.quorate.server.rpc.request;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.util.function.Supplier;

/**
 * Fields of the requests of operators and nodes. Each method throws {@link RequestRejected} if the
 * field is invalid.
 */
public final class RequestFields {
  private RequestFields() {}

  public static NodeId node(String name) {
    return valid(() -> new NodeId(name));
  }

  public static GroupId region(int number) {
    if (number < 0) {
      throw RequestRejected.invalid("A region's number is 0 or greater, not " + number + ".");
    }
    return new GroupId(number);
  }

  public static RegionEpoch epoch(long value) {
    return valid(() -> new RegionEpoch(value));
  }

  private static <T> T valid(Supplier<T> field) {
    try {
      return field.get();
    } catch (IllegalArgumentException e) {
      throw RequestRejected.invalid(e.getMessage() + ".");
    }
  }
}
