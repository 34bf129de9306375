// Wakes the figures: collects what a figure's controls say, lets the module draw it, and swaps in what comes back.
// It knows no figure by name and draws nothing itself. Everything it needs stands in the page:
//
//   figure[data-figure][data-module] a figure, by its id, and the address of the module that draws it
//   [data-control][data-kind]        a control: its name, and toggle, choice, slider or point
//   svg [data-set="name=value&..."]  a mark that sets controls when it is clicked
//   svg [data-drag="name"]           a mark that is dragged to set a point; its frame is
//   [data-frame="left top width height x0 y0 x1 y1"]   the plane: CSS pixels of the drawing, numbers at its corners
//
// Without the module (no script, an old browser, a failure) the page stays as it is: complete, with no controls.
"use strict";
(() => {
  const pages = [...document.querySelectorAll("figure[data-figure]")].filter((node) => node.querySelector(".figure-controls"));
  if (pages.length === 0 || typeof WebAssembly !== "object") return;

  const loading = {};
  /** The module at an address, loaded once for all its figures on the page: by a script, which works from disk too. */
  const module = (address) => (loading[address] ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src: address, onload: done, onerror: () => failed(`${address} does not come`) });
    document.head.append(script);
  }).then(() => {
    const [, name] = address.match(/([^/]+)\.js(\?|$)/);
    return liveModules[name](document.querySelector("script.scene").textContent);
  }));

  /** What an element holds; the white space that pages are laid out with in their source does not count. */
  const held = (element) => [...element.childNodes].filter((node) => node.nodeType !== Node.TEXT_NODE || node.data.trim());

  /** Makes `old` equal to `fresh` with as few changes as it takes, so that focus, selection and a drag outlive it. */
  function morph(old, fresh) {
    if (old.nodeName !== fresh.nodeName) return old.replaceWith(fresh);
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== fresh.data) old.data = fresh.data;
      return;
    }
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const [has, wants] = [held(old), held(fresh)];
    wants.forEach((want, place) => (place < has.length ? morph(has[place], want) : old.append(want)));
    has.slice(wants.length).forEach((extra) => extra.remove());
  }

  /** Like `morph`, for what an element holds. */
  function fill(element, html) {
    const fresh = element.cloneNode(false);
    fresh.innerHTML = html;
    morph(element, fresh);
  }

  class LiveFigure {
    constructor(node) {
      this.node = node;
      this.id = node.dataset.figure;
      this.picture = node.querySelector(".figure-picture");
      this.form = node.querySelector(".figure-controls");
      this.says = node.querySelector(".figure-says");
      this.numbers = node.querySelector(".figure-data");
      this.address = node.querySelector(".figure-number");
      this.download = node.querySelector(".figure-download");
      this.controls = [...this.form.querySelectorAll("[data-control]")];
      this.start = this.read();
      this.settings = { ...this.start };
      this.awake = null;
    }

    /** Loads the module, draws, and only then offers the controls. */
    wake() {
      return (this.awake ??= module(this.node.dataset.module).then((live) => {
        // A module may be older than the page: it may not know the figure, or know it with other controls.
        const known = JSON.parse(live.figures()).find(({ id }) => id === this.id);
        const same = known?.controls.map(({ name }) => name).sort().join() === Object.keys(this.start).sort().join();
        if (!same) throw `the module is older than ${this.id}`;
        this.live = live;
        this.form.querySelector("fieldset").disabled = false;
        this.form.hidden = false;
        this.listen();
        this.decorate(this.picture);
        new ResizeObserver(() => this.size() !== this.drawn && this.ask()).observe(this.node);
        this.drawn = this.size();
      }));
    }

    // ------------------------------------------------------------------------------------------ controls

    /** What the form says, each control in its written form. */
    read() {
      return Object.fromEntries(this.controls.map((control) => {
        const part = (name) => control.querySelector(`[data-part=${name}]`);
        const input = control.querySelector("input, select");
        const written = {
          toggle: () => (input.checked ? "on" : "off"),
          choice: () => input.value,
          slider: () => input.value,
          point: () => `${part("x").value},${part("y").value}`,
        };
        return [control.dataset.control, written[control.dataset.kind]()];
      }));
    }

    /** Makes the form say what is set. What is being typed is left to whoever types it. */
    write() {
      for (const control of this.controls) {
        const value = this.settings[control.dataset.control];
        const part = (name) => control.querySelector(`[data-part=${name}]`);
        const input = control.querySelector("input, select");
        const set = (field, value) => { if (field && field !== document.activeElement) field.value = value; };
        ({
          toggle: () => { input.checked = value === "on"; },
          choice: () => { input.value = value; },
          slider: () => { input.value = value; },
          point: () => {
            const [x, y] = value.split(",");
            set(part("x"), x);
            set(part("y"), y);
            const preset = part("preset");
            const known = [...(preset?.options ?? [])].find((option) => option.value.split(",").map(Number).join() === [x, y].map(Number).join());
            if (preset) preset.value = known ? known.value : "";
          },
        })[control.dataset.kind]();
        const output = control.querySelector("output");
        if (output) output.textContent = value;
      }
    }

    listen() {
      this.form.addEventListener("input", (event) => {
        if (event.target.dataset.part === "preset") {
          if (event.target.value) this.set(event.target.closest("[data-control]").dataset.control, event.target.value);
          return;
        }
        this.change(this.read());
      });
      this.form.addEventListener("reset", (event) => {
        event.preventDefault();
        this.change(this.start);
      });
      this.form.addEventListener("submit", (event) => event.preventDefault());
      this.picture.addEventListener("click", (event) => {
        const mark = event.target.closest("[data-set]");
        if (!mark || this.moved) return;
        this.change({ ...this.settings, ...Object.fromEntries(new URLSearchParams(mark.dataset.set)) });
      });
      this.picture.addEventListener("pointerdown", (event) => this.grasp(event));
      this.picture.addEventListener("pointermove", (event) => this.drag(event));
      for (const end of ["pointerup", "pointercancel"]) this.picture.addEventListener(end, () => this.release());
      this.picture.addEventListener("keydown", (event) => this.press(event));
      // A browser that would scroll takes the finger away from us.
      const hold = (event) => event.target.closest("[data-drag]") && event.preventDefault();
      this.picture.addEventListener("touchstart", hold, { passive: false });
      // Arrow keys that work a control are not to turn the book's page as well.
      const keep = (event) => event.target.closest("[data-drag], input, select") && event.stopPropagation();
      this.node.addEventListener("keydown", keep);
      this.download.addEventListener("click", () => this.offer());
    }

    set(name, value) {
      this.change({ ...this.settings, [name]: value });
    }

    /** Takes new settings; they are drawn with the next frame, however many come before it. */
    change(settings) {
      this.settings = { ...settings };
      this.ask();
    }

    ask() {
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        this.draw();
      });
    }

    // ------------------------------------------------------------------------------------------ drawing

    size() {
      const wide = this.picture.querySelector("svg.wide");
      return wide && getComputedStyle(wide).display === "none" ? "narrow" : "wide";
    }

    draw() {
      const size = this.size();
      let drawn;
      try {
        drawn = JSON.parse(this.live.draw(this.id, JSON.stringify(this.settings), size));
      } catch (error) {
        // The picture stays as it was, and so does what it was drawn from.
        this.says.textContent = error.message;
        this.node.classList.add("refused");
        this.settings = { ...(this.shown ?? this.start) };
        return;
      }
      this.node.classList.remove("refused");
      this.shown = { ...this.settings };
      this.drawn = size;
      const fresh = document.createElement("div");
      fresh.innerHTML = drawn.svg;
      this.decorate(fresh);
      morph(this.picture.querySelector(`svg.${size}`), fresh.querySelector("svg"));
      this.quiet();
      fill(this.says, drawn.says);
      fill(this.numbers, drawn.numbers);
      this.write();
      this.keep();
    }

    /** Marks that can be dragged are reached by keyboard too. */
    decorate(element) {
      for (const mark of element.querySelectorAll("[data-drag]")) {
        const legend = this.control(mark.dataset.drag).querySelector("legend, label").textContent;
        mark.setAttribute("tabindex", "0");
        mark.setAttribute("role", "application");
        mark.setAttribute("aria-roledescription", "point");
        mark.setAttribute("aria-label", `${legend}: move it with the arrow keys, finer with Shift`);
        mark.setAttribute("aria-describedby", this.says.id);
      }
    }

    /** While things move the status line is not read out; it is when they have come to rest. */
    quiet() {
      this.says.setAttribute("aria-busy", "true");
      clearTimeout(this.rest);
      this.rest = setTimeout(() => this.says.removeAttribute("aria-busy"), 400);
    }

    // ------------------------------------------------------------------------------------------ dragging

    control(name) {
      return this.controls.find((control) => control.dataset.control === name);
    }

    /** The limits of a point: for each axis its least and greatest value and the step of an arrow key. */
    limits(name) {
      return ["x", "y"].map((part) => {
        const { min, max, step } = this.control(name).querySelector(`[data-part=${part}]`);
        return [Number(min), Number(max), Number(step)];
      });
    }

    /** Puts a point somewhere within its limits, rounded to a hundredth of an arrow key's step. */
    move(name, point) {
      const within = this.limits(name).map(([min, max, step], axis) => {
        const grain = 10 ** Math.floor(Math.log10(step / 10));
        const digits = Math.max(0, -Math.floor(Math.log10(step / 10)));
        const rounded = Math.round(point[axis] / grain) * grain;
        return Number(Math.min(max, Math.max(min, rounded)).toFixed(digits));
      });
      this.set(name, within.join());
    }

    place(name) {
      return this.settings[name].split(",").map(Number);
    }

    /** The place under the pointer, in the numbers of the frame that the point is dragged in. */
    under(event, name) {
      const mark = this.picture.querySelector(`svg.${this.drawn} [data-drag="${name}"]`);
      const [left, top, width, height, x0, y0, x1, y1] = mark.dataset.frame.split(" ").map(Number);
      const svg = mark.ownerSVGElement;
      const box = svg.getBoundingClientRect();
      const scale = Number(svg.getAttribute("width")) / box.width;
      const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      return [x0 + ((x - left) / width) * (x1 - x0), y0 + ((y - top) / height) * (y1 - y0)];
    }

    grasp(event) {
      this.moved = false;
      const mark = event.target.closest("[data-drag]");
      if (!mark || event.button !== 0) return;
      event.preventDefault();
      mark.focus({ preventScroll: true });
      const name = mark.dataset.drag;
      const [from, at] = [this.place(name), this.under(event, name)];
      // What was grasped beside its middle is not to jump there.
      this.held = { name, offset: [from[0] - at[0], from[1] - at[1]], pointer: event.pointerId };
      this.picture.setPointerCapture(event.pointerId);
    }

    drag(event) {
      if (!this.held || event.pointerId !== this.held.pointer) return;
      this.moved = true;
      const { name, offset } = this.held;
      const at = this.under(event, name);
      this.move(name, [at[0] + offset[0], at[1] + offset[1]]);
    }

    release() {
      this.held = null;
    }

    press(event) {
      const mark = event.target.closest("[data-drag]");
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[event.key];
      if (!mark || !way || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const name = mark.dataset.drag;
      const share = event.shiftKey ? 0.1 : 1;
      const from = this.place(name);
      this.move(name, this.limits(name).map(([, , step], axis) => from[axis] + way[axis] * step * share));
    }

    // ------------------------------------------------------------------------------------------ to take away

    /** Keeps what is set in the page's address, and in the link that the figure's number is. */
    keep() {
      const changed = Object.entries(this.settings).filter(([name, value]) => value !== this.start[name]);
      const query = new URLSearchParams(changed).toString().replaceAll("%2C", ",");
      const hash = `#${this.node.id}${query && "?" + query}`;
      this.address.setAttribute("href", hash);
      clearTimeout(this.keeping);
      this.keeping = setTimeout(() => history.replaceState(null, "", hash), 250);
    }

    /** Sets the figure as an address says. */
    recall(query) {
      this.change({ ...this.start, ...Object.fromEntries(new URLSearchParams(query)) });
    }

    /** Points the download link to the picture as it is now. */
    offer() {
      const { svg } = JSON.parse(this.live.draw(this.id, JSON.stringify(this.shown ?? this.start), "wide"));
      URL.revokeObjectURL(this.offered);
      this.offered = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      this.download.href = this.offered;
    }
  }

  const figures = new Map(pages.map((node) => [node, new LiveFigure(node)]));
  const failed = (error) => console.warn("The figures stay still:", error);

  const watch = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      figures.get(target).wake().catch(failed);
    }
  }, { rootMargin: "400px" });
  pages.forEach((node) => watch.observe(node));

  /** An address such as `page.html#figure-threads?query=0,0` opens the figure as it was sent. */
  function arrive() {
    const [, id, query] = location.hash.match(/^#([^?]+)\?(.*)$/) ?? [];
    // Figures have plain names; whatever else stands there is the browser's business.
    const node = id && document.getElementById(id);
    const figure = node && figures.get(node);
    if (!figure) return;
    node.scrollIntoView();
    figure.wake().then(() => figure.recall(query)).catch(failed);
  }
  window.addEventListener("hashchange", arrive);
  arrive();
})();
