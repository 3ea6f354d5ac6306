package io.quorate.server.verification.canary;

import io.quorate.server.verification.agent.Defect;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Arrays;
import net.bytebuddy.asm.Advice;

/** The applied position has a batch of its own, which is written before the one with the data. */
public final class TwoBatches implements Defect {
  /** Whether the batch of this thread is the extra one. */
  private static final ThreadLocal<Boolean> ALONE = ThreadLocal.withInitial(() -> false);

  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation, new Mutation("io.quorate.storage.MetaRows", "putApplied", OwnBatch.class));
  }

  /** In the place of adding the position to the batch that was meant. */
  static final class OwnBatch {
    private OwnBatch() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter(
        @Advice.This Object rows,
        @Advice.FieldValue("database") Object database,
        @Advice.AllArguments Object[] arguments) {
      return writeAlone(rows, database, arguments);
    }
  }

  /** Called from the changed method; false if that is to do what it did. */
  public static boolean writeAlone(Object rows, Object database, Object[] arguments) {
    if (ALONE.get()) {
      return false;
    }
    ALONE.set(true);
    try {
      Class<?> batchClass = method(rows, "putApplied").getParameterTypes()[0];
      Class<?> scratchClass = Class.forName(batchClass.getName() + "$Scratch");
      Constructor<?> newScratch = scratchClass.getDeclaredConstructor();
      newScratch.setAccessible(true);
      Method newBatch = method(database, "batch");
      try (AutoCloseable batch =
          (AutoCloseable) newBatch.invoke(database, newScratch.newInstance())) {
        method(rows, "putApplied").invoke(rows, batch, arguments[1], arguments[2]);
        method(database, "write").invoke(database, batch);
      }
      return true;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      ALONE.set(false);
    }
  }

  private static Method method(Object of, String name) {
    Method method =
        Arrays.stream(of.getClass().getDeclaredMethods())
            .filter(known -> known.getName().equals(name))
            .findFirst()
            .orElseThrow();
    method.setAccessible(true);
    return method;
  }
}
