package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.ratis.flow.BoundedAppends;
import io.quorate.ratis.patches.AppendSequences;
import io.quorate.ratis.patches.Elections;
import io.quorate.ratis.read.LeaseGrants;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.junit.jupiter.api.Test;

/**
 * Which calls pass to Ratis and to its transport: those that are listed here. A later version of
 * Ratis may have others, and one with a default would pass by itself.
 */
class ListedCallsTest {
  private final SwitchedCondition condition = new SwitchedCondition();

  @Test
  void everyMethodIsWrittenOut() {
    for (Class<?> type : List.of(DenyingRaftServer.class, GuardedRpc.class, BoundedAppends.class)) {
      assertThat(methods(type.getInterfaces()[0]))
          .as(type.getSimpleName())
          .isNotEmpty()
          .allSatisfy(
              method ->
                  assertThat(type.getDeclaredMethod(method.getName(), method.getParameterTypes()))
                      .isNotNull());
    }
  }

  @Test
  void aServerReceivesTheRequestsOfReplicasOnly() {
    RaftServer guarded =
        new GuardedRaftServer(
            anything(RaftServer.class),
            new LeaseGrants(Duration.ZERO, System::nanoTime),
            new AppendSequences(),
            condition);
    assertThat(allowed(RaftServer.class, guarded))
        .containsExactlyInAnyOrder(
            "appendEntriesAsync",
            "requestVote",
            "startLeaderElection",
            "installSnapshot",
            "getId",
            "getDivision");
  }

  @Test
  void aTransportDoesNotSendEntriesInAnotherWay() {
    RaftServerRpc guarded =
        new GuardedRpc(
            anything(RaftServerRpc.class),
            anything(RaftServer.class),
            new AppendSequences(),
            new Elections(),
            ReceivingHooks.of(condition, removed -> {}));
    Set<String> all = new TreeSet<>(methods(RaftServerRpc.class).map(Method::getName).toList());
    all.remove("appendEntries");
    assertThat(allowed(RaftServerRpc.class, guarded)).isEqualTo(all);
  }

  @Test
  void readsDoNotGoThroughRatis() {
    BoundedAppends bounded = new BoundedAppends(anything(RaftServer.class), group -> false);
    assertThatThrownBy(() -> bounded.readIndexAsync(null))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(allowed(RaftServerAsynchronousProtocol.class, bounded))
        .containsExactly("appendEntriesAsync");
  }

  /** The methods that are not rejected; whether they succeed does not matter. */
  private static <T> Set<String> allowed(Class<T> type, T decorator) {
    Set<String> names = new TreeSet<>();
    methods(type)
        .forEach(
            method -> {
              try {
                method.setAccessible(true);
                method.invoke(decorator, arguments(method));
                names.add(method.getName());
              } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof UnsupportedOperationException)) {
                  names.add(method.getName());
                }
              } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
              }
            });
    return names;
  }

  private static Object[] arguments(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(
            type ->
                type == boolean.class
                    ? (Object) false
                    : type == AppendEntriesRequestProto.class
                        ? AppendEntriesRequestProto.getDefaultInstance()
                        : null)
        .toArray();
  }

  private static Stream<Method> methods(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()));
  }

  private static <T> T anything(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null));
  }
}
