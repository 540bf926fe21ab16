#!/usr/bin/env node
// Starts the snapscope binary of this machine, which npm installed as the one
// optional package that fits it, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");

const system = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "snapscope.exe" : "snapscope";

let binary;
try {
  binary = require.resolve(`@snapscope/${system}/bin/${file}`);
} catch {
  console.error(
    `snapscope: the package @snapscope/${system} is not installed. Where npm leaves optional packages out ` +
      "(--omit=optional, --no-optional), install without that; if there is none for this system, build snapscope with Go.",
  );
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });

// ctrl+c reaches the whole group of processes: wait for the program to leave the
// terminal as it found it. What was sent to this process alone is handed on.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));

child.on("error", (err) => {
  console.error(`snapscope: ${binary} does not start: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
