// Sentences in many scripts: no two labels overlap, none leaves its picture, none is cut without a sign, and none is
// wider than the library took it for. The pictures are drawn for this; no book is built. Needs the fonts of .ci/run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, root } from "./browser.mjs";

const folder = process.env.SHEETS ?? mkdtempSync(join(tmpdir(), "sheets-"));
execFileSync("cargo", ["run", "--quiet", "-p", "checks", "--example", "sheets", "--", folder], { cwd: root, stdio: "inherit" });

let browser;
before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
  if (!process.env.SHEETS) rmSync(folder, { recursive: true });
});

for (const width of [360, 1280]) {
  test(`at ${width} pixels labels in any script have room`, async () => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    let [labels, cut] = [0, 0];
    for (const name of readdirSync(folder).filter((name) => name.endsWith(".html"))) {
      await page.goto(pathToFileURL(join(folder, name)).href);
      await page.evaluate(() => document.fonts.ready);
      const found = await page.evaluate(() => {
        const [tokens, widths] = JSON.parse(document.querySelector("script").textContent);
        const most = new Map(widths);
        const faults = [];
        let [labels, cut, real, taken] = [0, 0, 0, 0];
        for (const figure of document.querySelectorAll("figure")) {
          const svg = [...figure.querySelectorAll("svg")].find((one) => one.getBoundingClientRect().width > 0);
          const frame = svg.getBoundingClientRect();
          const scale = frame.width / svg.viewBox.baseVal.width;
          const texts = [...svg.querySelectorAll("text")].map((text) => {
            const box = text.getBoundingClientRect();
            const size = parseFloat(getComputedStyle(text).fontSize);
            const middle = (box.top + box.bottom) / 2;
            const high = size * scale * 0.36;
            return { text: text.textContent.trim(), em: text.getComputedTextLength() / size, left: box.left, right: box.right, top: middle - high, bottom: middle + high };
          });
          for (const [place, one] of texts.entries()) {
            const plain = one.text.replace(/[\u2068\u2069]/g, "");
            const name = `${figure.dataset.figure}, “${plain}”`;
            const isWhole = tokens.includes(plain);
            if (plain.includes("…")) cut++;
            else if (!isWhole && most.has(one.text) && [...plain].length > 1 && tokens.some((token) => token.startsWith(plain))) faults.push(`${name} is cut without a sign`);
            if (most.has(one.text) && (isWhole || plain.includes("…"))) {
              labels++;
              // Its own room has two pixels of thirteen to spare.
              if (one.em > most.get(one.text) + 2 / 13) faults.push(`${name} is ${one.em.toFixed(2)} em wide, and taken for ${most.get(one.text).toFixed(2)}`);
              real += one.em;
              taken += most.get(one.text);
            }
            if (one.left < frame.left - 1 || one.right > frame.right + 1 || one.top < frame.top - 1 || one.bottom > frame.bottom + 1) faults.push(`${name} leaves the picture`);
            for (const other of texts.slice(place + 1)) {
              const apart = one.right <= other.left + 0.5 || other.right <= one.left + 0.5 || one.bottom <= other.top + 0.5 || other.bottom <= one.top + 0.5;
              if (!apart) faults.push(`${name} and “${other.text}” overlap`);
            }
          }
        }
        return { faults, labels, cut, ratio: taken / real };
      });
      console.log(`${name} at ${width}: ${found.labels} labels of tokens, ${found.cut} cut, taken for ${found.ratio.toFixed(2)} times their width`);
      assert.deepEqual(found.faults, [], `${name} at ${width}`);
      // Of a scene with the book's own words none is told from the figures' words.
      assert.ok(found.labels > 20 || name === "axis.html", name);
      assert.ok(!(found.ratio >= 2.2), `${name}: labels are taken for ${found.ratio} times their width`);
      labels += found.labels;
      cut += found.cut;
    }
    console.log(`${labels} labels at ${width} pixels, ${cut} of them cut with dots`);
    await page.close();
  });
}
