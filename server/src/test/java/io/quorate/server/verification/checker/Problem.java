package io.quorate.server.verification.checker;

import java.util.List;

/**
 * Some keys, and all that was done to them.
 *
 * @param keys their names; a key's number is its place
 * @param plain by key: whether every value that it can ever hold is known beforehand, because no
 *     call transforms what it meets
 * @param calls in the order of their invocation; a call's number is its place
 */
record Problem(List<String> keys, Values values, boolean[] plain, List<Call> calls) {
  Problem withCalls(List<Call> others) {
    return new Problem(keys, values, plain, others);
  }

  boolean isOnePlainKey() {
    return keys.size() == 1 && plain[0];
  }
}
