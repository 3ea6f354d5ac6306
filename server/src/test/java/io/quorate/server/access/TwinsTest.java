package io.quorate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.Batch;
import io.quorate.client.ClientOptions;
import io.quorate.client.DeniedException;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.RefusedException;
import io.quorate.common.Failures;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Role;
import io.quorate.model.Role.DataRight;
import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.server.node.QuorateNode;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two databases that differ in nothing but what a user may not see: whatever he requests, they
 * respond the same, and what he may not write stays as it was.
 *
 * <p>{@code -Dquorate.twins.requests=100000} sets the number of requests.
 */
@Timeout(1800)
class TwinsTest {
  private static final int REQUESTS = Integer.getInteger("quorate.twins.requests", 2_000);
  private static final int REQUESTS_A_ROUND = 50;
  private static final String PREFIXES = "abcd";
  private static final int KEYS_A_PREFIX = 5;

  @TempDir private Path directory;
  private final List<World> worlds = new ArrayList<>();
  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  /** One database, with a client that may do everything and one of the user. */
  private record World(QuorateNode node, QuorateClient admin, QuorateClient user) {
    void close() {
      user.close();
      admin.close();
      node.close();
    }
  }

  /** What the user may do, and how that reads in a message. */
  private record Grants(List<Role.Grant> all) {
    boolean allow(DataRight right, String key) {
      return all.stream()
          .anyMatch(
              grant ->
                  grant.rights().contains(right)
                      && KeyRange.ofPrefix(grant.prefix()).contains(Key.utf8(key)));
    }

    boolean show(String key) {
      return allow(DataRight.READ, key) || allow(DataRight.SCAN, key);
    }
  }

  @BeforeEach
  void start() throws IOException {
    Authority authority = Authority.in(directory.resolve("certs"));
    Path node = directory.resolve("certs/n1");
    Path user = directory.resolve("certs/al");
    authority.sign(new CertificateName(Kind.NODE, "n1"), Set.of("localhost"), node);
    authority.sign(new CertificateName(Kind.USER, "al"), Set.of(), user);
    for (String name : List.of("one", "other")) {
      worlds.add(world(directory.resolve(name), node, user));
    }
  }

  private static World world(Path data, Path ofNode, Path ofUser) {
    TestCluster cluster =
        new TestCluster(
            data,
            1,
            "engine = memory\ncluster.split-keys = [ \"b/2\", \"c\", \"d/3\" ]\n"
                + "security.certificates = \""
                + ofNode
                + "\"");
    QuorateNode node =
        QuorateNode.start(
            cluster.config(0),
            new MemoryEngineProvider(),
            failure -> {
              throw failure;
            });
    node.serving().toCompletableFuture().join();
    ClientOptions.Builder options = ClientOptions.builder(cluster.seeds());
    QuorateClient admin = QuorateClient.connect(options.certificates(ofNode).build());
    admin.async().access().setRole(new Role("app", List.of(), Set.of())).join();
    admin.async().access().setUser("al", Set.of("app")).join();
    return new World(node, admin, QuorateClient.connect(options.certificates(ofUser).build()));
  }

  @AfterEach
  void stop() {
    worlds.forEach(World::close);
  }

  @Test
  void noResponseDependsOnWhatAUserMayNotSee() {
    int denied = 0;
    for (int done = 0; done < REQUESTS; done += REQUESTS_A_ROUND) {
      Grants grants = grants();
      worlds.forEach(
          world ->
              world
                  .admin()
                  .async()
                  .access()
                  .setRole(new Role("app", grants.all(), Set.of()))
                  .join());
      List<Map<String, String>> before = fill(grants);
      for (int i = 0; i < REQUESTS_A_ROUND; i++) {
        Function<QuorateClient, Object> request = request();
        List<String> outcomes = new ArrayList<>();
        for (World world : worlds) {
          outcomes.add(outcome(request, world.user()));
        }
        assertThat(outcomes.get(1)).as("seed %d, %s", seed, grants).isEqualTo(outcomes.get(0));
        denied += outcomes.get(0).startsWith("denied") ? 1 : 0;
      }
      for (int i = 0; i < worlds.size(); i++) {
        assertUnchanged(grants, before.get(i), rows(worlds.get(i).admin()));
      }
    }
    assertThat(denied).isBetween(REQUESTS / 10, REQUESTS * 9 / 10);
  }

  private Grants grants() {
    List<Role.Grant> all = new ArrayList<>();
    for (char prefix : PREFIXES.toCharArray()) {
      EnumSet<DataRight> rights = EnumSet.noneOf(DataRight.class);
      for (DataRight right : DataRight.values()) {
        if (random.nextInt(3) > 0) {
          rights.add(right);
        }
      }
      String below = random.nextInt(4) == 0 ? "/" + random.nextInt(KEYS_A_PREFIX) : "/";
      if (random.nextInt(4) > 0) {
        all.add(new Role.Grant(Key.utf8(prefix + below), rights));
      }
    }
    return new Grants(all);
  }

  /** Writes rows, which are equal where the user sees them, and returns all of each database. */
  private List<Map<String, String>> fill(Grants grants) {
    for (char prefix : PREFIXES.toCharArray()) {
      for (int i = 0; i < KEYS_A_PREFIX; i++) {
        String key = prefix + "/" + i;
        String common = value();
        for (World world : worlds) {
          set(world.admin(), key, grants.show(key) ? common : value());
        }
      }
    }
    return worlds.stream().map(world -> rows(world.admin())).toList();
  }

  /** A number, a text, or empty for none. */
  private String value() {
    return switch (random.nextInt(3)) {
      case 0 -> "";
      case 1 -> Integer.toString(random.nextInt(3));
      default -> "text " + random.nextInt(3);
    };
  }

  private static void set(QuorateClient client, String key, String value) {
    if (value.isEmpty()) {
      client.delete(key);
    } else {
      client.put(key, value);
    }
  }

  private static Map<String, String> rows(QuorateClient client) {
    Map<String, String> rows = new TreeMap<>();
    client.scan(KeyRange.ALL).forEach(row -> rows.put(row.keyText(), row.valueText()));
    return rows;
  }

  private String key() {
    return PREFIXES.charAt(random.nextInt(PREFIXES.length())) + "/" + random.nextInt(KEYS_A_PREFIX);
  }

  private KeyRange range() {
    String start = key();
    return switch (random.nextInt(4)) {
      case 0 -> KeyRange.ALL;
      case 1 -> KeyRange.ofPrefix(start.substring(0, 2));
      case 2 -> KeyRange.of(start.substring(0, 1), start);
      default -> KeyRange.ofPrefix(start);
    };
  }

  private Function<QuorateClient, Object> request() {
    String key = key();
    String value = value();
    String expected = value();
    KeyRange range = range();
    return switch (random.nextInt(14)) {
      case 0, 1 -> client -> client.get(key);
      case 2 -> client -> text(client.withGuarantee(Guarantee.LOCAL).scan(range));
      case 3 -> client -> text(client.scan(range));
      case 4 -> client -> text(client.scanReverse(range));
      case 5 -> client -> done(() -> client.put(key, value + "."));
      case 6 -> client -> done(() -> client.delete(key));
      case 7 -> client -> done(() -> client.append(key, "+"));
      case 8 -> client -> done(() -> client.increment(key, 1));
      case 9 -> client -> client.incrementAndGet(key, 1);
      case 10 -> client -> client.getAndPut(key, value + ".");
      case 11 -> client -> client.putIfAbsent(key, value + ".");
      case 12 -> client -> client.compareAndSet(utf8(key), utf8(expected), utf8(value));
      default -> {
        String other = key();
        yield client -> done(() -> client.batch(new Batch().put(key, "b").delete(other)));
      }
    };
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String done(Runnable write) {
    write.run();
    return "done";
  }

  private static String text(Iterable<KeyValue> rows) {
    StringBuilder text = new StringBuilder();
    rows.forEach(row -> text.append(row.keyText()).append('=').append(row.valueText()).append(' '));
    return text.toString();
  }

  /** What the user learns; where the node is does not count. */
  private static String outcome(Function<QuorateClient, Object> request, QuorateClient user) {
    try {
      return String.valueOf(request.apply(user));
    } catch (QuorateException e) {
      String kind =
          e instanceof DeniedException
              ? "denied "
              : e instanceof RefusedException ? "refused " : e.getClass().getSimpleName();
      return kind + Failures.unwrap(e).getMessage().replaceAll("127.0.0.1:\\d+", "");
    }
  }

  private static void assertUnchanged(
      Grants grants, Map<String, String> before, Map<String, String> after) {
    before.keySet().removeIf(key -> grants.allow(DataRight.WRITE, key));
    after.keySet().removeIf(key -> grants.allow(DataRight.WRITE, key));
    assertThat(after).isEqualTo(before);
  }
}
