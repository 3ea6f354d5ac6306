/** The examples of README.md about testing, compiled and run. */
package io.quorate.server.example;
