package io.quorate.server.admin;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a request is for.
 *
 * @param isChange whether it is to change something: a POST
 * @param parameters those of the query, by name; the last value of each
 */
record AdminRequest(boolean isChange, String path, Map<String, String> parameters) {
  /** The paths of what those may see who have no certificate: supervisors of processes. */
  static final Set<String> FOR_ANYONE = Set.of("/health", "/ready");

  AdminRequest {
    parameters = Map.copyOf(parameters);
  }

  /** Whether it is one of {@link #FOR_ANYONE}. */
  boolean isForAnyone() {
    return FOR_ANYONE.contains(path);
  }

  /** What it is for, as the audit log has it. */
  String subject() {
    // Others than these may be secrets that somebody has put in the wrong place.
    Map<String, String> shown = new TreeMap<>(parameters);
    shown.keySet().retainAll(Set.of("address", "node", "dry-run"));
    return shown.isEmpty() ? path : path + " " + shown;
  }

  static AdminRequest of(HttpRequest request) {
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    Map<String, String> parameters = new HashMap<>();
    uri.parameters().forEach((name, values) -> parameters.put(name, values.get(values.size() - 1)));
    return new AdminRequest(request.method().equals(HttpMethod.POST), uri.path(), parameters);
  }
}
