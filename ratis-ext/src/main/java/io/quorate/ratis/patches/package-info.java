/**
 * Everything that exists because of defects of Ratis 3.3.0, without which an acknowledged write
 * could be lost, a replica vote twice, or a group stand still. Each class repairs one defect, and
 * names it, its issue, the tests that fail without the repair, and when it can go. Classes of this
 * package know Ratis and nothing else of this engine; {@code guards} calls those for requests
 * between replicas, in their order.
 *
 * <p>Some have to be in packages of Ratis. In place of the classes of the same name:
 *
 * <ul>
 *   <li>{@code org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog}: the log is that of the
 *       node, and term and vote in it never go back (decisions 0085 and 0059)
 *   <li>{@code org.apache.ratis.server.impl.FollowerState}, {@code
 *       org.apache.ratis.server.impl.StateMachineUpdater} and {@code
 *       org.apache.ratis.util.ConcurrentUtils}, with {@code org.apache.ratis.util.ReplicaExecutor}:
 *       replicas have no threads of their own (decision 0087)
 *   <li>{@code org.apache.ratis.server.storage.RaftStorageImpl}: nor does the configuration
 *       (decision 0067)
 * </ul>
 *
 * <p>For members of Ratis that only its own packages see:
 *
 * <ul>
 *   <li>{@code org.apache.ratis.server.impl.CommitIndex}, of {@code
 *       org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog}
 *   <li>{@code org.apache.ratis.server.impl.Configurations}, of {@link
 *       io.quorate.ratis.patches.LogConfiguration}
 *   <li>{@code org.apache.ratis.server.impl.Leaders}, of {@link io.quorate.ratis.patches.Elections}
 *       and {@link io.quorate.ratis.patches.ReplacedAppender}
 * </ul>
 *
 * <p>Not here: {@code read} has a read index of its own, because that of Ratis is stale, and {@code
 * RatisProperties} switches off the composition of appends and what else is not safe. These would
 * stay if Ratis were repaired, or are a line.
 */
package io.quorate.ratis.patches;
