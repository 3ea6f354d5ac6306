package io.quorate.server.admin;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.HashMap;
import java.util.Map;

/**
 * What a request is for.
 *
 * @param isChange whether it is to change something: a POST
 * @param parameters those of the query, by name; the last value of each
 */
record AdminRequest(boolean isChange, String path, Map<String, String> parameters) {
  AdminRequest {
    parameters = Map.copyOf(parameters);
  }

  /** Whether those may see it who have no certificate: supervisors of processes. */
  boolean isForAnyone() {
    return path.equals("/health") || path.equals("/ready");
  }

  static AdminRequest of(HttpRequest request) {
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    Map<String, String> parameters = new HashMap<>();
    uri.parameters().forEach((name, values) -> parameters.put(name, values.get(values.size() - 1)));
    return new AdminRequest(request.method().equals(HttpMethod.POST), uri.path(), parameters);
  }
}
