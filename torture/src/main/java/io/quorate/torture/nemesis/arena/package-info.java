/**
 * What faults act on: a cluster under torture, what it can have, and what each fault has to say.
 */
package io.quorate.torture.nemesis.arena;
