/**
 * The configuration of a node: the file that an operator writes, parsed strictly into records.
 * Every violation is reported in one sentence that names the key. Code that acts on the settings
 * belongs to the packages that receive the records; engines parse their own sections.
 */
package io.quorate.server.config;
