package io.quorate.server.config;

import io.quorate.common.HostPort;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Parses the section of the settings that are the same on every node. */
final class ClusterParser {
  /** A node that listens on it listens on every address of its machine. */
  static final String EVERY_ADDRESS = "0.0.0.0";

  private static final String EVERY_ADDRESS_IPV6 = "::";
  private static final int PORT_MAX = 65_535;
  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9._-]{1,64}=[A-Za-z0-9._-]{1,64}");

  private ClusterParser() {}

  static ClusterConfig cluster(Section section) {
    ClusterId id = section.text("id", ClusterId::new);
    List<ClusterNode> nodes = nodes(section);
    String splitPath = section.path() + ".split-keys";
    List<Key> splitKeys = SplitKeys.parse(splitPath, section.texts("split-keys"));
    int regions = section.integer("regions", splitKeys.size() + 1, 1, 4096);
    if (!splitKeys.isEmpty() && regions != splitKeys.size() + 1) {
      throw new ConfigException(
          "Key "
              + section.path()
              + ".regions is one more than the keys in "
              + splitPath
              + ", which are "
              + splitKeys.size()
              + "; it was "
              + regions
              + ".");
    }
    int replicas = section.integer("replicas", 3, 1, 9);
    section.requireAllRead();
    return new ClusterConfig(id, nodes, regions, splitKeys, replicas);
  }

  private static List<ClusterNode> nodes(Section cluster) {
    List<ClusterNode> nodes = new ArrayList<>();
    Set<NodeId> ids = new HashSet<>();
    Set<String> ports = new HashSet<>();
    for (Section section : cluster.sections("nodes")) {
      ClusterNode node =
          new ClusterNode(
              section.text("id", NodeId::new),
              section.text("host", ClusterParser::advertisedHost),
              section.requiredInteger("client-port", 1, PORT_MAX),
              section.requiredInteger("consensus-port", 1, PORT_MAX),
              section.requiredInteger("admin-port", 1, PORT_MAX),
              labels(section));
      section.requireAllRead();
      if (!ids.add(node.id())) {
        throw new ConfigException("Key " + section.path() + ".id has " + node.id() + " twice.");
      }
      for (int port : node.ports()) {
        String address = HostPort.text(node.host(), port);
        if (!ports.add(address)) {
          throw new ConfigException("Key " + section.path() + " uses " + address + " twice.");
        }
      }
      nodes.add(node);
    }
    if (nodes.isEmpty()) {
      throw new ConfigException(
          "Key " + cluster.path() + ".nodes is missing; it lists at least one node.");
    }
    return nodes;
  }

  private static List<String> labels(Section node) {
    List<String> labels = node.texts("labels");
    for (String label : labels) {
      if (!LABEL.matcher(label).matches()) {
        throw new ConfigException(
            String.format(
                Locale.ROOT,
                "Key %s.labels has entries such as \"zone=a\"; one was \"%s\".",
                node.path(),
                label));
      }
    }
    return labels;
  }

  /** The address that clients and other nodes connect to. */
  private static String advertisedHost(String text) {
    String host = HostPort.requireHost(text);
    if (host.equals(EVERY_ADDRESS) || host.equals(EVERY_ADDRESS_IPV6)) {
      throw new IllegalArgumentException(
          "others connect to it, and "
              + host
              + " is every address of the machine that connects; it is for node.bind");
    }
    return host;
  }
}
