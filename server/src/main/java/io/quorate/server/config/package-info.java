/**
 * What an operator writes: the configuration file, read strictly into records. Every violation is
 * one sentence that names the key.
 */
package io.quorate.server.config;
