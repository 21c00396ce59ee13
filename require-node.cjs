"use strict";

/**
 * Refuses a Node.js that is too old, before anything is loaded that it cannot run. Every entry of the npm package imports this
 * file first, the plugin's script begins with its text, and `make` runs it. It is written in the JavaScript of old versions.
 */
var NEEDED = [20, 19]; // package.json's "engines" has the same

var version = process.versions.node.split(".").map(Number);
if (version[0] < NEEDED[0] || (version[0] === NEEDED[0] && version[1] < NEEDED[1])) {
  var message =
    "Node.js " + NEEDED.join(".") + " or newer is needed; this is " + process.version + ": https://nodejs.org/";
  // Another program that imports the package gets an error. The package's own programs print the line and end; one of them,
  // the plugin's script, may run as an ES module, which has no `require`.
  var isImported = typeof require === "function" && require.main !== module && require.main !== module.parent;
  if (isImported) throw new Error(message);
  console.error(message);
  process.exit(1);
}
