package io.quorate.torture.canary;

import io.quorate.model.Position;
import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Reads use the read index of Ratis' own linearizable reads. */
public final class ConfirmedReadOff implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation,
        new Mutation("io.quorate.ratis.read.ReadIndex", "readIndex", RatisReadIndex.class));
  }

  /** Returns the read index of Ratis if this replica leads; otherwise the method runs. */
  static final class RatisReadIndex {
    private RatisReadIndex() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static Object enter(
        @Advice.FieldValue(value = "leadership", typing = Assigner.Typing.DYNAMIC)
            Object leadership) {
      return ratisReadIndex(leadership);
    }

    @Advice.OnMethodExit
    static void exit(
        @Advice.Enter Object index,
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object returned) {
      if (index != null) {
        returned = index;
      }
    }
  }

  /** Called from the changed method. Returns null if this replica does not lead. */
  public static Object ratisReadIndex(Object leadership) {
    if (leadership == null) {
      return null;
    }
    try {
      Field field = leadership.getClass().getDeclaredField("state");
      field.setAccessible(true);
      Object state = field.get(leadership);
      Method getReadIndex = state.getClass().getDeclaredMethod("getReadIndex", Long.class);
      getReadIndex.setAccessible(true);
      CompletableFuture<?> index =
          (CompletableFuture<?>) getReadIndex.invoke(state, new Object[] {null});
      // Storage compares only indexes of one log; the term is only reported to the client.
      return index.thenApply(value -> new Position(0, (Long) value));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
