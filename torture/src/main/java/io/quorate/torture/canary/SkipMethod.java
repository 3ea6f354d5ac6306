package io.quorate.torture.canary;

import net.bytebuddy.asm.Advice;

/** Skips a method, which then returns null, 0 or false if it returns anything. */
final class SkipMethod {
  private SkipMethod() {}

  @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
  static boolean enter() {
    return true;
  }
}
