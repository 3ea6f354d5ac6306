package io.quorate.server.cli.access;

import io.quorate.client.ClientOptions;
import io.quorate.client.DeniedException;
import io.quorate.client.QuorateClient;
import java.nio.file.Path;

/** A user who logs in, and meets the bounds of his role; shown in docs/applications.md. */
final class LoginExample {
  private LoginExample() {}

  static String greet(String addresses, Path certificates, String secret) {
    ClientOptions options =
        ClientOptions.builder(addresses).certificates(certificates).login("al", secret).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      client.put("app/greeting", "hello");
      return client.get("payroll/greeting").orElse("nothing");
    } catch (DeniedException e) {
      return e.getMessage();
    }
  }
}
