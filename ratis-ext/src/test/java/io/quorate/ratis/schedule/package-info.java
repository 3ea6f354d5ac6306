/**
 * Seeded schedules of leader changes against replicas with bodies: the real engine and the real
 * storage, in one process.
 */
package io.quorate.ratis.schedule;
