/**
 * The examples of docs/applications.md about testing, compiled and run as they are shown there.
 * Tests of Quorate itself do not belong here.
 */
package io.quorate.testing.example;
