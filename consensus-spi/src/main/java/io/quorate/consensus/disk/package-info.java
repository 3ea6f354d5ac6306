/**
 * File operations that are shared by all modules with files that must survive power loss: atomic
 * replacement, fsync, checksums and sectors. File formats belong to the modules that define them.
 */
package io.quorate.consensus.disk;
