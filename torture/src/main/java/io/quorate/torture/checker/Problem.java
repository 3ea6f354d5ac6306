package io.quorate.torture.checker;

import java.util.List;

/**
 * Some keys, and all calls on them.
 *
 * @param keys the names of the keys; a key's number is its index
 * @param plain by key: whether every value that it can have is known before the search, because no
 *     call changes it depending on its value
 * @param calls in the order of their invocation; a call's number is its index
 */
record Problem(List<String> keys, Values values, boolean[] plain, List<Call> calls) {
  Problem withCalls(List<Call> others) {
    return new Problem(keys, values, plain, others);
  }

  boolean isOnePlainKey() {
    return keys.size() == 1 && plain[0];
  }
}
