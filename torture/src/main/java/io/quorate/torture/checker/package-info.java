/**
 * Decides whether a history is linearizable, and explains why it is not. Checks that need no search
 * belong in the package {@code invariants}, the recording of histories in {@code history}.
 */
package io.quorate.torture.checker;
