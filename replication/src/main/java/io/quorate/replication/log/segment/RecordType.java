package io.quorate.replication.log.segment;

/** The types of records: those of the log itself, and three classes of records of the engines. */
public final class RecordType {
  /** The first record of a generation of a group; its index is the group's first low-water mark. */
  public static final int CREATED = 1;

  /** The last record of a generation of a group: all before it are dead. */
  public static final int REMOVED = 2;

  /** Records below its index are dead. */
  public static final int LOW_WATER = 3;

  /** Entries from its index on are dead. */
  public static final int TRUNCATED = 4;

  /** What a segment states of a group at its beginning, in place of earlier segments. */
  public static final int BASE = 5;

  /** A group is damaged, and stays so until it is removed; the payload is the reason. */
  public static final int DAMAGED = 6;

  /**
   * The first record of a segment, of no group: its index is the last deleted segment, its epoch
   * the number of groups whose bases follow.
   */
  public static final int BASES = 7;

  /** Of no group: all segments up to its index may be deleted. */
  public static final int PURGED = 8;

  /** An entry: there is one for each index, in order. */
  public static final int ENTRY = 0x10;

  private static final int STATE = 0x20;
  private static final int EVENT = 0x40;
  private static final int REWRITTEN = 0x80;

  /** Engines number the keys of their states from 0 to here, without the latter. */
  public static final int STATE_KEYS = 16;

  /** Engines number the kinds of their events from 0 to here, without the latter. */
  public static final int EVENT_KINDS = 64;

  private RecordType() {}

  /** A state: the latest one of a key counts. */
  public static int state(int key) {
    if (key < 0 || key >= STATE_KEYS) {
      throw new IllegalArgumentException("The key of a state: " + key);
    }
    return STATE | key;
  }

  /** An event: there may be any number for an index, in any order. */
  public static int event(int kind) {
    if (kind < 0 || kind >= EVENT_KINDS) {
      throw new IllegalArgumentException("The kind of an event: " + kind);
    }
    return EVENT | kind;
  }

  /** The type of a copy of a record at another place. */
  public static int rewritten(int type) {
    return type | REWRITTEN;
  }

  /** Whether it is a copy, which begins with the order of the record. */
  public static boolean isRewritten(int type) {
    return (type & REWRITTEN) != 0;
  }

  /** The type without the mark of a copy. */
  public static int original(int type) {
    return type & ~REWRITTEN;
  }

  public static boolean isState(int type) {
    return (type & 0xf0) == STATE;
  }

  public static boolean isEvent(int type) {
    return (type & 0xc0) == EVENT;
  }

  /** Whether records of a type are found by their index: entries and events. */
  public static boolean isIndexed(int type) {
    return type == ENTRY || isEvent(type);
  }

  /** The key of a state. */
  public static int key(int type) {
    return type & 0x0f;
  }

  /** The kind of an event. */
  public static int kind(int type) {
    return type & 0x3f;
  }

  static boolean isValid(int type) {
    int original = original(type);
    return isIndexed(original)
        || !isRewritten(type) && (isState(original) || original >= CREATED && original <= PURGED);
  }
}
