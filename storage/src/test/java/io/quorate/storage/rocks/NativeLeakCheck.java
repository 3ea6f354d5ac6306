package io.quorate.storage.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class that leaves a native object open. Registered for every test of this module by
 * a service file.
 */
public final class NativeLeakCheck implements AfterAllCallback {
  @Override
  public void afterAll(ExtensionContext context) {
    assertThat(NativeLeakDetector.open())
        .as("native objects left open by %s", context.getDisplayName())
        .isEmpty();
  }
}
