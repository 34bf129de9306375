// The live figures: by mouse, by touch, by keyboard, from disk and from a server; and the page when they cannot live.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { awake, book, column, launch, onDisk, open, serve, settled } from "./browser.mjs";

const CHAPTER = "7-1-query-key-value.html";
const chapters = readdirSync(book).filter((name) => /^(opening|7-\d).*\.html$/.test(name));

let browser, server;
before(async () => { [browser, server] = [await launch(), await serve()]; });
after(async () => { await browser.close(); server.stop(); });

const places = () => ({ "from disk": onDisk("") + "/", "from a server": server.address + "/" });

async function sumsToOne(figure, when) {
  const weights = await column(figure, "weight");
  const sum = weights.reduce((sum, weight) => sum + weight, 0);
  assert.ok(Math.abs(sum - 1) < 0.0005 * weights.length + 1e-9, `${when}: the weights sum to ${sum}`);
  return weights;
}

const said = (figure) => figure.locator(".figure-says").textContent();
const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

for (const where of ["from disk", "from a server"]) {
  test(`threads by mouse, ${where}`, async () => {
    const page = await open(browser, places()[where] + CHAPTER);
    const figure = await awake(page, "threads");
    const start = await sumsToOne(figure, "at first");
    const handle = figure.locator("svg.wide [data-drag=query]");
    const [x, y] = middle(await handle.boundingBox());
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 150, y + 90, { steps: 12 });
    await settled(page);
    assert.notDeepEqual(await sumsToOne(figure, "while dragged"), start);
    await page.mouse.up();
    // The dot is under the pointer: nothing jumped.
    const [hx, hy] = middle(await handle.boundingBox());
    assert.ok(Math.hypot(hx - (x - 150), hy - (y + 90)) < 3, `the dot is at ${hx},${hy}`);

    // A click on a token attends as it.
    const tokens = figure.locator("svg.wide [data-set]");
    await tokens.nth(2).click();
    await settled(page);
    assert.match(await said(figure), /^“sat” asks/);
    await sumsToOne(figure, "after a click");

    // The address holds the state, and brings it back.
    await page.waitForFunction(() => location.hash.includes("?query="));
    const address = page.url();
    const again = await open(browser, address);
    await awake(again, "threads");
    await again.waitForFunction(() => document.querySelector("#figure-threads .figure-says").textContent.startsWith("“sat” asks"));

    // A reset brings back what the page was built with, to the byte.
    await figure.getByRole("button", { name: "Reset" }).click();
    await settled(page);
    assert.deepEqual(await column(figure, "weight"), start);
    assert.deepEqual([...page.faults, ...again.faults], []);
    await page.context().close();
    await again.context().close();
  });

  test(`threads by keyboard, ${where}`, async () => {
    const page = await open(browser, places()[where] + CHAPTER);
    const figure = await awake(page, "threads");
    const handle = figure.locator("svg.wide [data-drag=query]");
    await handle.focus();
    const x = figure.locator("[data-control=query] [data-part=x]");
    const before = Number(await x.inputValue());
    await page.keyboard.press("ArrowRight");
    await settled(page);
    const coarse = Number(await x.inputValue()) - before;
    await page.keyboard.press("Shift+ArrowRight");
    await settled(page);
    const fine = Number(await x.inputValue()) - before - coarse;
    assert.ok(coarse > 0 && Math.abs(coarse - 10 * fine) < 1e-9, `steps of ${coarse} and ${fine}`);
    await sumsToOne(figure, "after arrow keys");
    assert.ok(await handle.evaluate((mark) => mark === document.activeElement), "the focus stays on the dot");

    // Every control is reached with Tab and worked without a mouse.
    await figure.locator("[data-part=preset]").focus();
    // Not by typing the name: a browser under load takes a late letter for the first of another one.
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await settled(page);
    assert.match(await said(figure), /^“tired” asks/);
    await figure.locator("[data-control=scaled] input").focus();
    await page.keyboard.press("Space");
    await settled(page);
    assert.match(await said(figure), /not divided/);
    await sumsToOne(figure, "without the division");
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test(`threads by touch, ${where}`, async () => {
    const options = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } };
    const page = await open(browser, places()[where] + CHAPTER, options);
    const figure = await awake(page, "threads");
    const start = await sumsToOne(figure, "at first");
    const [x, y] = middle(await figure.locator("svg.narrow [data-drag=query]").boundingBox());
    const client = await page.context().newCDPSession(page);
    const touch = (type, points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [{ x, y }]);
    for (let step = 1; step <= 10; step++) await touch("touchMove", [{ x: x - 8 * step, y: y + 6 * step }]);
    await touch("touchEnd", []);
    await settled(page);
    assert.notDeepEqual(await sumsToOne(figure, "after a touch"), start);
    const [hx, hy] = middle(await figure.locator("svg.narrow [data-drag=query]").boundingBox());
    assert.ok(Math.hypot(hx - (x - 80), hy - (y + 60)) < 4, `the dot is at ${hx - x},${hy - y} from where it was`);
    await figure.locator("svg.narrow [data-set]").nth(1).tap();
    await settled(page);
    assert.match(await said(figure), /^“cat” asks/);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
}

/** What a figure shows, as one number: marks with their attributes, words, numbers. */
const state = (figure) =>
  figure.evaluate((node) => {
    const write = (one) =>
      one.nodeType !== Node.ELEMENT_NODE
        ? one.textContent.trim()
        : one.nodeName + [...one.attributes].filter(({ name }) => name !== "aria-busy").map(({ name, value }) => `${name}=${value}`).sort().join() + [...one.childNodes].map(write).filter(Boolean).join();
    const text = ["svg.wide", ".figure-says", ".figure-data"].map((part) => write(node.querySelector(part))).join();
    return [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.codePointAt(0)) | 0, 7);
  });

test("every control of every figure changes it, and a reset undoes it", async () => {
  let tried = 0;
  for (const chapter of chapters) {
    const page = await open(browser, onDisk(chapter));
    for (const id of await page.locator("figure:has(.figure-controls)").evaluateAll((all) => all.map((one) => one.dataset.figure))) {
      const figure = await awake(page, id);
      const reset = async () => {
        await figure.getByRole("button", { name: "Reset" }).click();
        await settled(page);
      };
      await reset();
      const start = await state(figure);
      for (const control of await figure.locator("[data-control]").all()) {
        const name = `${id}: ${await control.getAttribute("data-control")}`;
        const kind = await control.getAttribute("data-kind");
        if (kind === "toggle") await control.locator("input").click();
        if (kind === "slider") {
          await control.locator("input").focus();
          await page.keyboard.press("End");
        }
        if (kind === "choice") {
          const select = control.locator("select");
          await select.selectOption({ index: (await select.evaluate((one) => one.selectedIndex)) === 0 ? 1 : 0 });
        }
        if (kind === "point") {
          await control.locator("[data-part=x]").fill("0.25");
        }
        await settled(page);
        assert.notEqual(await state(figure), start, `${name} changes nothing`);
        await reset();
        assert.equal(await state(figure), start, `${name}: a reset does not undo it`);
        tried++;
      }
    }
    assert.deepEqual(page.faults, [], chapter);
    await page.context().close();
  }
  console.log(`${tried} controls tried`);
  assert.ok(tried >= 6);
});

test("what is not possible is said, and the figure stays as it was", async () => {
  const page = await open(browser, onDisk(CHAPTER) + "#figure-threads?query=nan,0");
  const figure = await awake(page, "threads");
  await page.waitForFunction(() => document.querySelector("#figure-threads").classList.contains("refused"));
  assert.match(await said(figure), /`nan,0` is not possible; needed is two numbers/);
  assert.deepEqual((await column(figure, "weight")).length, 7);
  for (const [query, answer] of [
    ["query=9,0", /`9,0` is not possible/],
    ["speed=1", /there is no parameter `speed`/],
    ["scaled=perhaps", /`perhaps` is not possible; needed is `on` or `off`/],
    ["query=1", /`1` is not possible/],
  ]) {
    await page.evaluate((hash) => { location.hash = hash; }, `#figure-threads?${query}`);
    await page.waitForFunction((start) => document.querySelector("#figure-threads .figure-says").textContent.includes(start), query.split("=")[1].split(",")[0] === "1" && query.startsWith("speed") ? "speed" : query.split("=")[1]);
    assert.match(await said(figure), answer);
    assert.deepEqual((await column(figure, "weight")).length, 7);
  }
  // What is typed is refused in the same way, and a good value is taken again.
  await figure.locator("[data-part=x]").fill("7");
  await settled(page);
  assert.match(await said(figure), /`7,.*` is not possible/);
  await figure.locator("[data-part=x]").fill("0.5");
  await settled(page);
  assert.match(await said(figure), /^A query at \(0.50/);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("whatever stands in the address, it is no error", async () => {
  const addresses = [
    "#figure-%E0%A4%A?x=1", "#%?%", "#?", "#figure-threads?", "#figure-threads??", "#figure-threads?=", "#figure-threads?%E0%A4%A",
    "#figure-threads?__proto__=1", "#figure-nothing?query=1,2", "#content?query=1,2", "#figure-threads?query", "?search=%E0%A4%A",
    "?highlight=%", "?search=%E0#figure-threads?query=0,0",
  ];
  for (const address of addresses) {
    const page = await open(browser, onDisk(CHAPTER) + address);
    await awake(page, "threads");
    await settled(page);
    assert.deepEqual(page.faults, [], address);
    await page.context().close();
  }
});

/** The page as it is to be when the figures cannot live. */
async function standsStill(page, why) {
  for (const figure of await page.locator("figure[data-figure]").all()) {
    assert.equal(await figure.locator(":is(input, select, button):visible").count(), 0, `${why}: a dead control is seen`);
    assert.ok(await figure.locator("svg.wide").isVisible(), why);
    assert.ok((await said(figure)).length > 20, why);
    assert.ok((await figure.locator("tbody tr").count()) > 1, why);
  }
}

test("without script the page stands complete", async () => {
  const page = await open(browser, onDisk(CHAPTER), { javaScriptEnabled: false });
  await standsStill(page, "no script");
  const figure = page.locator("#figure-threads");
  await figure.locator("summary").click();
  assert.ok(await figure.locator("table").isVisible(), "the numbers can be opened");
  await page.context().close();
});

/** Has the page load a module that knows these figures alone. */
const older = (context, figures) =>
  context.route("**/live/*", (route) =>
    route.fulfill({ body: `globalThis.liveModules = { "query-key-value": async () => ({ figures: () => ${JSON.stringify(figures)} }) };`, contentType: "text/javascript" }));

for (const [why, prepare] of Object.entries({
  "the module does not come": (context) => context.route("**/live/*", (route) => route.abort()),
  "the module is damaged": (context) =>
    context.route("**/live/*", async (route) => {
      const body = readFileSync(join(book, new URL(route.request().url()).pathname), "utf8");
      await route.fulfill({ body: body.replace(/bytes = ".{4000}/, 'bytes = "' + "A".repeat(4000)), contentType: "text/javascript" });
    }),
  "the module is older than the figures": (context) => older(context, "[]"),
  "the module is older than a control": (context) => older(context, JSON.stringify(["threads", "spread", "saturation"].map((id) => ({ id, controls: [{ name: "old" }] })))),
  "the browser has no WebAssembly": (context) => context.addInitScript(() => delete globalThis.WebAssembly),
})) {
  test(`when ${why}, the page stands complete`, async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await prepare(context);
    const page = await context.newPage();
    // Without WebAssembly nothing is tried, and nothing is said.
    const given = why.includes("no WebAssembly") || page.waitForEvent("console", (message) => message.text().startsWith("The figures stay still"));
    await page.goto(server.address + "/" + CHAPTER);
    await page.locator("#figure-threads").scrollIntoViewIfNeeded();
    await given;
    await standsStill(page, why);
    await context.close();
  });
}

// The script knows no figure by name: it wakes one that it has never seen, with a module that was never built.
test("a figure that is new needs no change to the script", async () => {
  const toy = `<figure class="figure" id="figure-toy" data-figure="toy" data-module="live/toys.js"><div class="figure-picture"><svg class="wide" width="100" height="100" viewBox="0 0 1000 1000"></svg><svg class="narrow"></svg></div>
    <form class="figure-controls" hidden><fieldset disabled><div class="control" data-control="on" data-kind="toggle"><input type="checkbox" id="t" name="on"><label for="t">On</label></div>
    <fieldset class="control" data-control="at" data-kind="point"><legend>At</legend><input type="number" data-part="x" min="-1" max="1" step="0.1" value="0"><input type="number" data-part="y" min="-1" max="1" step="0.1" value="0"></fieldset>
    <button type="reset">Reset</button></fieldset></form><p class="figure-says" id="figure-toy-says"></p><figcaption><a class="figure-number" href="#figure-toy">1</a><a class="figure-download" href="x">SVG</a><div class="figure-data"></div></figcaption></figure>`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.route("**/*.html", async (route) => {
    const html = readFileSync(join(book, CHAPTER), "utf8");
    await route.fulfill({ body: html.replace("<main>", `<main>${toy}`), contentType: "text/html" });
  });
  await context.route("**/live/*", (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `globalThis.liveModules = { toys: async () => ({ figures: () => '[{"id":"toy","controls":[{"name":"on"},{"name":"at"}]}]', draw: (id, written) => { const { on, at } = JSON.parse(written); const [x, y] = at.split(",");
        return JSON.stringify({ svg: '<svg class="wide" width="100" height="100" viewBox="0 0 1000 1000"><g data-drag="at" data-frame="0 0 100 100 -1 1 1 -1"><circle cx="' + (500 + 500 * x) + '" cy="' + (500 - 500 * y) + '" r="100"/></g></svg>', says: id + " " + on + " " + at, numbers: "<b>" + at + "</b>" }); } }) };`,
    }),
  );
  const page = await context.newPage();
  await page.goto(server.address + "/" + CHAPTER);
  const figure = await awake(page, "toy");
  await figure.locator("[data-control=on] input").click();
  await settled(page);
  assert.equal(await said(figure), "toy on 0,0");
  await figure.locator("svg.wide").evaluate((svg) => svg.scrollIntoView());
  const [x, y] = middle(await figure.locator("[data-drag]").boundingBox());
  const half = (await figure.locator("svg.wide").boundingBox()).width / 4;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + half, y, { steps: 3 });
  await page.mouse.up();
  await settled(page);
  assert.equal(await said(figure), "toy on 0.5,0");
  await context.close();
});

test("what is downloaded is what is shown now", async () => {
  const page = await open(browser, onDisk(CHAPTER));
  const figure = await awake(page, "threads");
  await figure.locator("[data-part=preset]").selectOption("0,0");
  await settled(page);
  const [download] = await Promise.all([page.waitForEvent("download"), figure.locator("a.figure-download").click()]);
  assert.equal(download.suggestedFilename(), "threads.svg");
  const svg = readFileSync(await download.path(), "utf8");
  assert.match(svg, /^<svg xmlns=/);
  assert.match(svg, /at the origin every score is 0/);
  await page.context().close();
});

test("text that is selected, and what is being read, outlive a change", async () => {
  const page = await open(browser, onDisk(CHAPTER));
  const figure = await awake(page, "threads");
  await figure.locator("summary").click();
  await figure.evaluate((node) => getSelection().selectAllChildren(node.querySelector("tbody th")));
  await figure.locator("[data-control=scaled] input").evaluate((input) => input.click());
  await settled(page);
  assert.equal(await page.evaluate(() => String(getSelection())), "The");
  assert.equal(await figure.locator("details").getAttribute("open"), "");
  await page.context().close();
});

test("time from an input event to the changed page", async () => {
  const page = await open(browser, onDisk(CHAPTER));
  const figure = await awake(page, "threads");
  const times = await figure.evaluate(async (node) => {
    const picture = node.querySelector(".figure-picture");
    const mark = () => picture.querySelector("svg.wide [data-drag]");
    const box = mark().getBoundingClientRect();
    const at = [box.x + box.width / 2, box.y + box.height / 2];
    const event = (type, x, y) => new PointerEvent(type, { bubbles: true, pointerId: 1, button: 0, clientX: x, clientY: y });
    picture.setPointerCapture = () => {};
    mark().dispatchEvent(event("pointerdown", ...at));
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    // The event, the draw that it asks the next frame for, and the page laid out anew, without the wait for the frame.
    const whole = [];
    const raf = window.requestAnimationFrame;
    for (let drag = 0; drag < 200; drag++) {
      let asked;
      window.requestAnimationFrame = (callback) => { asked = callback; return 1; };
      const before = performance.now();
      picture.dispatchEvent(event("pointermove", at[0] - 90 * Math.sin(drag / 9), at[1] + 50 * Math.cos(drag / 9)));
      asked(before);
      node.getBoundingClientRect();
      whole.push(performance.now() - before);
      window.requestAnimationFrame = raf;
      await frame();
    }
    picture.dispatchEvent(event("pointerup", ...at));
    return whole.sort((a, b) => a - b);
  });
  const draws = await page.evaluate(async () => {
    const live = await liveModules["query-key-value"](document.querySelector("script.scene").textContent);
    const times = [];
    for (let draw = 0; draw < 500; draw++) {
      const before = performance.now();
      live.draw("threads", JSON.stringify({ query: `${draw / 500},0.5` }), "wide");
      times.push(performance.now() - before);
    }
    return times.sort((a, b) => a - b);
  });
  const at = (times, share) => times[Math.floor(times.length * share)].toFixed(2);
  console.log(`input to changed page, ${times.length} drags: median ${at(times, 0.5)} ms, 95th percentile ${at(times, 0.95)} ms`);
  console.log(`draw alone: median ${at(draws, 0.5)} ms, 95th percentile ${at(draws, 0.95)} ms`);
  assert.ok(times[Math.floor(times.length / 2)] < 16, "a drag does not keep up with the hand");
  await page.context().close();
});

test("size of modules and scripts", () => {
  for (const folder of ["theme", "live"]) {
    for (const name of readdirSync(join(book, folder), { recursive: true }).filter((name) => /\.(js|css)$/.test(name))) {
      const content = readFileSync(join(book, folder, name));
      console.log(`${folder}/${name}: ${content.length} bytes, compressed ${gzipSync(content, { level: 9 }).length}`);
    }
  }
});
