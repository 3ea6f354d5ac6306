package io.quorate.consensus.contract;

import java.util.Locale;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The default locale of the tests of a class is that of Egypt, whose digits are not those of ASCII.
 * What a program writes with them, it does not read.
 */
public final class OtherDigits implements BeforeAllCallback, AfterAllCallback {
  private Locale before;

  @Override
  public void beforeAll(ExtensionContext context) {
    before = Locale.getDefault();
    Locale.setDefault(new Locale.Builder().setLanguage("ar").setRegion("EG").build());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Locale.setDefault(before);
  }
}
