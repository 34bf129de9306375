// Live modules draw what the library draws, to the byte, whoever's compiler made them: the committed ones, and those in the
// folders that MODULES names. No browser is needed for this: a module is the same.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { delimiter, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const folders = ["src/live", ...(process.env.MODULES ?? "").split(delimiter).filter(Boolean)].map((folder) => resolve(root, folder));

const native = execFileSync("cargo", ["run", "--quiet", "--locked", "-p", "checks", "--example", "parity"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 2 ** 30,
});
const [head, ...lines] = native.trim().split("\n").map((line) => JSON.parse(line));

for (const folder of folders) {
  test(`the live modules in ${relative(root, folder)} and the library draw the same bytes`, async () => {
    const live = {};
    globalThis.liveModules = {};
    for (const file of readdirSync(folder)) new Function(readFileSync(join(folder, file), "utf8"))();
    for (const [chapter, start] of Object.entries(liveModules)) live[chapter] = await start(head.scene);
    const figures = new Set();
    let differing = 0;
    let bytes = 0;
    let first;
    for (const { chapter, figure, parameters, size, drawn } of lines) {
      figures.add(figure);
      const here = Buffer.from(live[chapter].draw(figure, parameters, size));
      const there = Buffer.from(drawn);
      bytes += there.length;
      if (here.equals(there)) continue;
      first ??= `${figure} ${parameters} ${size}`;
      for (let at = 0; at < Math.max(here.length, there.length); at++) if (here[at] !== there[at]) differing++;
    }
    const known = Object.values(live).flatMap((module) => JSON.parse(module.figures()).map(({ id }) => id));
    assert.deepEqual([...figures].sort(), known.sort());
    console.log(`${figures.size} figures, ${lines.length} parameter sets, ${bytes} bytes compared, ${differing} differ`);
    assert.equal(differing, 0, `first at ${first}`);
  });
}
