/**
 * Verification of Ratis' log files before Ratis opens them, and of their closing. Ratis silently
 * drops the cut end of a damaged file; here it is rejected. Code for log files on disk belongs
 * here; reads of log entries by a running replica are in {@code quorum}.
 */
package io.quorate.ratis.log;
