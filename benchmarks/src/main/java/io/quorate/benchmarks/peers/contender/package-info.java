/**
 * What every system under test has in common: its programs, its processes, its connections. What is
 * particular to one system does not belong here.
 */
package io.quorate.benchmarks.peers.contender;
