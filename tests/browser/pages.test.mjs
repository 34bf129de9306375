// Every page, in every theme, wide and on a phone: nothing runs off the page, nothing overlaps, all of it can be read.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readdirSync } from "node:fs";
import { book, launch, onDisk, open } from "./browser.mjs";

const pages = readdirSync(book).filter((name) => name.endsWith(".html") && !["toc.html", "print.html"].includes(name));
const themes = ["light", "rust", "coal", "navy", "ayu"];
const widths = [360, 390, 700, 1280];

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const look = (width, theme = "light") => async (page) => {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  await context.addInitScript((theme) => localStorage.setItem("mdbook-theme", theme), theme);
  const tab = await context.newPage();
  await tab.goto(onDisk(page));
  await tab.evaluate(() => document.fonts.ready);
  return { tab, done: () => context.close() };
};

for (const width of widths) {
  test(`at ${width} pixels nothing runs off the page, and no two labels of a figure overlap`, async () => {
    let labels = 0;
    for (const name of pages) {
      const { tab, done } = await look(width)(name);
      const found = await tab.evaluate(() => {
        const faults = [];
        let labels = 0;
        const main = document.querySelector("main");
        const over = document.documentElement.scrollWidth - innerWidth;
        if (over > 0) faults.push(`the page is ${over} pixels too wide`);
        for (const figure of document.querySelectorAll("figure[data-figure]")) {
          const svg = [...figure.querySelectorAll(".figure-picture > svg")].find((one) => one.getBoundingClientRect().width > 0);
          const frame = svg.getBoundingClientRect();
          const texts = [...svg.querySelectorAll("text")].map((text) => {
            // The letters themselves: a line's box has room above and below them.
            const box = text.getBoundingClientRect();
            const size = parseFloat(getComputedStyle(text).fontSize) * (frame.width / svg.viewBox.baseVal.width);
            const middle = (box.top + box.bottom) / 2;
            return { text: text.textContent.trim(), size, left: box.left, right: box.right, top: middle - size * 0.36, bottom: middle + size * 0.36 };
          });
          labels += texts.length;
          for (const [place, one] of texts.entries()) {
            const name = `${figure.dataset.figure}, “${one.text}”`;
            if (one.size < 11.8) faults.push(`${name} is ${one.size.toFixed(1)} pixels high`);
            if (one.left < frame.left - 1 || one.right > frame.right + 1 || one.top < frame.top - 1 || one.bottom > frame.bottom + 1) faults.push(`${name} leaves the picture`);
            for (const other of texts.slice(place + 1)) {
              const apart = one.right <= other.left + 0.5 || other.right <= one.left + 0.5 || one.bottom <= other.top + 0.5 || other.bottom <= one.top + 0.5;
              if (!apart) faults.push(`${name} and “${other.text}” overlap`);
            }
          }
        }
        return { faults, labels };
      });
      assert.deepEqual(found.faults, [], `${name} at ${width}`);
      labels += found.labels;
      await done();
    }
    console.log(`${labels} labels at ${width} pixels`);
    assert.ok(labels > 100);
  });
}

for (const theme of themes) {
  test(`in theme ${theme}, text reaches 4.5:1 and marks reach 3:1`, async () => {
    let checked = 0;
    for (const name of pages) {
      const { tab, done } = await look(1280, theme)(name);
      const found = await tab.evaluate(() => {
        const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        const rgba = (colour) => {
          paint.clearRect(0, 0, 1, 1);
          paint.fillStyle = colour;
          paint.fillRect(0, 0, 1, 1);
          const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
          return [r, g, b, a / 255];
        };
        const light = ([r, g, b]) => {
          const part = (value) => ((value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
          return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
        };
        const contrast = (one, other) => {
          const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
          return (high + 0.05) / (low + 0.05);
        };
        const over = ([r, g, b, a], ground) => [r, g, b].map((value, part) => value * a + ground[part] * (1 - a));
        const ground = (node) => {
          for (; node; node = node.parentElement) {
            const colour = rgba(getComputedStyle(node).backgroundColor);
            if (colour[3] > 0.99) return colour;
          }
          return [255, 255, 255, 1];
        };
        const faults = [];
        let checked = 0;
        const check = (node, colour, opacity, least, what) => {
          checked++;
          const back = node.dataset.on ? rgba(node.dataset.on) : ground(node);
          const [r, g, b, a] = rgba(colour);
          const ratio = contrast(over([r, g, b, a * opacity], back), back);
          if (ratio < least) faults.push(`${what}: ${ratio.toFixed(2)}`);
        };
        for (const mark of document.querySelectorAll(".figure-picture svg.wide :is(text, line, polyline, circle, rect)")) {
          const style = getComputedStyle(mark);
          const role = mark.getAttribute("class") ?? "";
          const opacity = Number(style.opacity);
          // What is there to be grasped is not there to be seen; and lines to read numbers off are to stay behind.
          if (opacity < 0.05 || role.endsWith("-grid")) continue;
          // A tile of a heatmap is seen by what stands on it and beside it: its colour is its number.
          if (role === "" && !mark.dataset.on) continue;
          const filled = !role.startsWith("stroke-");
          const own = Number(filled ? style.fillOpacity : style.strokeOpacity);
          check(mark, filled ? style.fill : style.stroke, opacity * own, mark.nodeName === "text" ? 4.5 : 3, `${mark.nodeName}.${role} “${mark.textContent.trim()}”`);
        }
        for (const node of document.querySelectorAll("main :is(p, li, th, td, dt, dd, h1, h2, h3, figcaption, summary, a, code, math)")) {
          if (node.closest("svg") || node.getClientRects().length === 0) continue;
          check(node, getComputedStyle(node).color, 1, 4.5, `${node.nodeName} “${node.textContent.trim().slice(0, 40)}”`);
        }
        return { faults: [...new Set(faults)], checked };
      });
      assert.deepEqual(found.faults, [], `${name} in ${theme}`);
      checked += found.checked;
      await done();
    }
    console.log(`${checked} colours in ${theme}`);
    assert.ok(checked > 100);
  });
}

for (const [how, ask] of Object.entries({
  "its key": (page) => page.keyboard.press("s"),
  "its button": (page) => page.locator("#mdbook-search-toggle").click(),
})) {
  test(`search comes when it is asked for, by ${how}`, async () => {
    const page = await open(browser, onDisk("opening.html"));
    assert.equal(await page.evaluate(() => typeof elasticlunr), "undefined");
    await ask(page);
    await page.locator("#mdbook-searchbar").waitFor();
    await page.locator("#mdbook-searchbar").pressSequentially("softmax");
    await page.locator("#mdbook-searchresults li").first().waitFor();
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

test("no page asks another host for anything, or reports an error", async () => {
  for (const name of pages) {
    const page = await open(browser, onDisk(name));
    for (let y = 0; y < 12; y++) await page.mouse.wheel(0, 900);
    await page.waitForTimeout(300);
    assert.deepEqual(page.faults, [], name);
    await page.context().close();
  }
});
