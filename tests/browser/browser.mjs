// What every browser check starts from: Chromium, the built book, and a server beside opening it from disk.
import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const root = resolve(fileURLToPath(import.meta.url), "../../..");
export const book = process.env.BOOK ?? join(root, "book");

if (!existsSync(join(book, "index.html"))) throw new Error(`no book in ${book}: cargo run`);

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });

const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2" };

/** Serves the book on this machine alone; returns its address and how to stop. */
export async function serve() {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    try {
      const content = await readFile(join(book, path.endsWith("/") ? path + "index.html" : path));
      response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { address: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** Opens a page and fails the check if it asks another host for anything, or reports an error. */
export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.faults = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(file|data|blob):/.test(url) && !url.startsWith("http://127.0.0.1:")) page.faults.push(`asked for ${url}`);
  });
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  await page.goto(address);
  return page;
}

export const onDisk = (name) => pathToFileURL(join(book, name)).href;

/** A figure of the page, awake. */
export async function awake(page, id) {
  const figure = page.locator(`#figure-${id}`);
  await figure.scrollIntoViewIfNeeded();
  await figure.locator(".figure-controls fieldset").first().and(page.locator(":enabled")).waitFor();
  return figure;
}

/** Waits until what was asked for is drawn. */
export const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** A column of a figure's table, as numbers. */
export async function column(figure, name) {
  return figure.locator(".figure-numbers table").evaluate((table, name) => {
    const place = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent === name);
    return [...table.tBodies[0].rows].map((row) => Number(row.cells[place].textContent.replace("−", "-")));
  }, name);
}
