"use strict";

// Runs the script of report pages without a document, on their own data:
//
//   node check_page.js COMMAND EXPORT_TESTS
const assert = require("assert");
const { execFileSync } = require("child_process");
const crypto = require("crypto");
const fs = require("fs");
const os = require("os");
const path = require("path");
const vm = require("vm");

const [command, maker] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "page-"));

function pageOf(...shapes) {
  for (const shape of shapes)
    execFileSync(maker, ["make_snapshot", shape, path.join(folder, `${shape}.lgs`)]);
  const files = shapes.map((shape) => path.join(folder, `${shape}.lgs`));
  const options = { maxBuffer: 1 << 24, encoding: "utf8" };
  return execFileSync(command, ["report", ...files, "-o", "-"], options);
}

function between(text, start, end) {
  const from = text.indexOf(start) + start.length;
  assert(from >= start.length, start);
  return text.slice(from, text.indexOf(end, from));
}

const dataOf = (page) => JSON.parse(between(page, 'id="data">', "</script>"));
const scriptOf = (page) => between(page, "<script>", "</script>");

function checkPolicy(page) {
  const hash = (text) => `'sha256-${crypto.createHash("sha256").update(text).digest("base64")}'`;
  const policy = between(page, 'Content-Security-Policy" content="', '"');
  assert(policy.includes("default-src 'none'"));
  assert(policy.includes(`script-src ${hash(scriptOf(page))}`));
  assert(policy.includes(`style-src ${hash(between(page, "<style>", "</style>"))}`));
  assert(!policy.includes("unsafe"));
}

// Returns one object with the names that the page's scripts share.
function load(page) {
  const names = "({format, breaks, places, layout, tables, growth, AreaMap, d3})";
  return vm.runInNewContext(`${scriptOf(page)}\n${names}`, {});
}

function checkFormat({ format }) {
  const sizes = [[0, "0 B"], [812, "812 B"], [1024, "1.00 KiB"], [12345678, "11.8 MiB"],
    [2 ** 30 * 1.93, "1.93 GiB"], [1023.9 * 1024, "1.00 MiB"], [1023, "1023 B"],
    [1000 * 1024, "0.98 MiB"]];
  for (const [bytes, text] of sizes) assert.strictEqual(format.bytes(bytes), text);
  assert.strictEqual(format.count(1284301), "1,284,301");
  assert.strictEqual(format.share(1, 3), "33.3 %");
  assert.strictEqual(format.share(1, 0), "");
  const devices = ["host", "cuda:0"];
  assert.strictEqual(format.sizes(devices, [1024, 2048]), "2.00 KiB cuda:0 · 1.00 KiB host");
  assert.strictEqual(format.sizes(devices, [1024, 0]), "1.00 KiB");
  assert.strictEqual(format.sizes(devices, [0, 0]), "0 B");
}

// Areas add up: what lies below a place is never more than the place.
function checkPlaces({ places }, data) {
  const root = places.read(data);
  const own = data.places.reduce((sum, row) => sum + (row[8] && row[0] >= 0 && row[7] ? row[7][0] : 0), 0);
  const left = data.places.reduce((sum, row) => sum + (row[9] > 0 ? row[10][0] : 0), 0);
  places.addUp(root, 0, null, false);
  assert(root.value > 0);
  assert.strictEqual(root.value, own + left);
  for (const place of places.below(root)) {
    const inside = place.children.reduce((sum, child) => sum + child.value, 0);
    assert(inside <= place.value);
    assert(place === root || place.parent.children.includes(place));
    assert(place === root || place.depth === place.parent.depth + 1);
  }
  const deepest = places.below(root).pop();
  assert.strictEqual(places.trail(deepest)[0], root);
  return root;
}

function checkLayout({ places, layout }, root) {
  const inside = (area, width, height) =>
    area.x >= 0 && area.y >= 0 && area.x + area.width <= width + 0.01
    && area.y + area.height <= height + 0.01;
  places.addUp(root, 0, null, false);
  const icicle = layout.icicle(root, 800, 14);
  const treemap = layout.treemap(root, 800, 500);
  assert(icicle.length > 2 && treemap.length > 2);
  assert(icicle.every((area) => inside(area, 800, 14 * layout.ROW)));
  assert(treemap.every((area) => inside(area, 800, 500)));
  assert.strictEqual(icicle[0].place, root);
  assert(Math.abs(icicle[0].width - 800) < 0.01);
  for (const area of icicle)
    assert(Math.abs(area.width - (800 * area.place.value) / root.value) < 0.01);
}

// The biggest thing below a place always shows, however deep it lies: owners of one thing each
// share its area. What is too small to have an area ends the descent.
function checkDepth({ places, layout }) {
  const row = (parent, label, own) => [parent, label, "T", "object", 1, 7, "", [own], [own], 0];
  const rows = [row(-1, "app", 0), row(0, ".x", 0), row(1, ".y", 0), row(2, ".z", 0),
    row(3, "[*]", 0), row(4, "", 900), row(4, ".n", 60), row(0, ".tiny", 1)];
  const root = places.read({ devices: ["host"], places: rows });
  places.addUp(root, 0, null, false);
  const names = layout.treemap(root, 800, 500).map((area) => places.chainName(area.chain));
  assert.deepStrictEqual([...names], ["everything › app", ".x.y.z[*]", "T", ".n"]);
  // What has most of the bytes itself has an area of its own, in its own colour.
  const heavy = places.read({ devices: ["host"], places: [row(-1, "app", 0), row(0, ".x", 11),
    row(1, ".y", 89)] });
  places.addUp(heavy, 0, null, false);
  assert.deepStrictEqual([...layout.treemap(heavy, 800, 500).map((area) => area.place.label)],
    [".x", ".y"]);
  const steps = layout.icicle(root, 800, 14).map((area) => places.name(area.place));
  assert.deepStrictEqual([...steps], ["everything", "app", ".x", ".y", ".z", "[*]", "T", ".n"]);
  assert.strictEqual(layout.icicle(root, 800, 3).pop().place.label, ".x");
}

// An area shows what it owns if it has room for it.
function checkRoom({ places, layout }) {
  const row = (parent, label, own) => [parent, label, "T", "object", 1, 7, "", [own], [own], 0];
  const rows = [row(-1, "app", 0), row(0, ".big", 1000)];
  for (const [label, each] of [[".room", 50], [".none", 1.8]]) {
    rows.push(row(0, label, 0));
    const owner = rows.length - 1;
    rows.push(row(owner, ".a", each), row(owner, ".b", each));
  }
  const root = places.read({ devices: ["host"], places: rows });
  places.addUp(root, 0, null, false);
  const labels = layout.treemap(root, 800, 500).map((area) => area.place.label);
  assert.deepStrictEqual([...labels], ["app", ".big", ".room", ".none", ".a", ".b"]);
}

function checkFind({ places }) {
  const row = (parent, label, type, own) => [parent, label, type, "object", 1, 7,
    `app${label}`, [own], [own], 0];
  const rows = [row(-1, "app", "module", 1), row(0, ".losses", "list", 20),
    row(1, "[*]", "torch.Tensor", 300), row(0, ".gone", "torch.Tensor", 0)];
  const root = places.read({ devices: ["host"], places: rows });
  places.addUp(root, 0, null, false);
  const found = (text) => places.find(root, text);
  assert.deepStrictEqual([...found("TENSOR")].map((place) => place.label), ["[*]"]);
  assert.deepStrictEqual([...found("app losses")].map((place) => place.label), [".losses"]);
  assert.strictEqual(found("").length + found("nothing").length, 0);
  // Each byte counts once: the module contains the rest.
  assert.strictEqual(places.together(found("app")), 321);
}

function checkChange({ places }) {
  const of = (before, value) => places.change({ before, value });
  const changes = [[100, 100], [100, 101], [100, 130], [100, 180], [100, 390], [0, 5], [100, 99],
    [100, 98], [0, 0]].map(([before, value]) => of(before, value));
  assert.deepStrictEqual(changes, ["0", "0", "1", "2", "3", "4", "0", "less", "0"]);
}

// Returns the CIE L*a*b* of a colour, as somebody sees it whose eyes mix light so.
function lab(colour, eyes) {
  const light = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const times = (rows, by) => rows.map((row) => row.reduce((sum, each, i) => sum + each * by[i], 0));
  const seen = times(eyes, light).map((part) => Math.min(Math.max(part, 0), 1));
  const white = [0.95047, 1, 1.08883];
  const xyz = times([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175],
    [0.0193339, 0.119192, 0.9503041]], seen).map((part, i) => part / white[i]);
  const [x, y, z] = xyz.map((part) => (
    part > 216 / 24389 ? Math.cbrt(part) : ((24389 / 27) * part + 16) / 116));
  return { lab: [116 * y - 16, 500 * (x - y), 200 * (y - z)], light: xyz[1] };
}

// Any two kinds may lie side by side. All can be told apart, also by people without the cones
// for green (Machado, Oliveira and Fernandes, 2009), and all captions can be read.
function checkColours() {
  const style = fs.readFileSync(path.join(__dirname, "../../export/page/assets/page.css"), "utf8");
  const everybody = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const deuteranope = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881]];
  const kinds = ["package", "container", "object", "tensor", "array", "figure", "function",
    "class", "frame", "exception", "value", "native"];
  const changes = ["0", "1", "2", "3", "4", "less"].map((step) => `change-${step}`);
  const schemes = style.split("@media screen and (prefers-color-scheme: dark)");
  const [light, dark] = [schemes[0], schemes[1].slice(0, schemes[1].indexOf("}"))];
  const looks = fs.readFileSync(path.join(__dirname, "../../export/view/view.c"), "utf8");
  for (const [, fill] of looks.matchAll(/"(#[0-9A-F]{6})",\s*LG__INK/g))
    assert(style.includes(`.picture svg [fill="${fill.toLowerCase()}"]`), fill);
  // A picture in a file or in a notebook turns dark as one in a page does.
  const table = fs.readFileSync(path.join(__dirname, "../../export/render/picture_file.c"), "utf8");
  const changed = (text) => [...new Set(text.match(/\w*\[(fill|stroke)="[^"]+"\]/g))].sort();
  assert.deepStrictEqual(changed(table.replace(/\\"/g, '"')), changed(style));
  for (const scheme of [light, dark]) {
    const value = (name) => scheme.match(new RegExp(`--${name}: (#[0-9a-f]{6});`))[1];
    const ink = lab(value("area-ink"), everybody).light;
    for (const name of [...kinds, ...changes]) {
      const paper = lab(value(name), everybody).light;
      assert((Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) >= 4.5, name);
    }
    for (const eyes of [everybody, deuteranope])
      kinds.forEach((one, i) => kinds.slice(0, i).forEach((other) => {
        const [a, b] = [one, other].map((name) => lab(value(name), eyes).lab);
        assert(Math.hypot(...a.map((part, at) => part - b[at])) >= 12, `${one} and ${other}`);
      }));
    // In a bar or a chart, only parts in a row are neighbours.
    for (const eyes of [everybody, deuteranope])
      for (const row of [[0, 1, 2, 3, 4, 5, 6, 7, 8].map((at) => `c${at}`),
        ["quiet-fill", "quiet-1", "quiet-2", "quiet-3"]])
        row.forEach((one, i) => {
          const other = row[(i + 1) % row.length];
          const [a, b] = [one, other].map((name) => lab(value(name), eyes).lab);
          assert(Math.hypot(...a.map((part, at) => part - b[at])) >= 12, `${one} and ${other}`);
        });
  }
}

// A row made by hand: a place that had 10 bytes and has 30, and what it leaves out.
function checkHistory({ places }) {
  const row = [-1, "app", "", "package", 0, null, "", null, [0], 1, [5], false, null, [[1], [5]]];
  const child = [0, ".x", "list", "container", 1, 7, "app.x", [30], [30], 0, null, false,
    [[10], [20]], null];
  const root = places.read({ devices: ["host"], places: [row, child] });
  const at = (snapshot) => {
    places.addUp(root, 0, snapshot, false);
    return root.value;
  };
  assert.deepStrictEqual([at(0), at(1), at(null)], [11, 25, 35]);
  places.addUp(root, 0, null, true);
  assert.strictEqual(root.value, 0);
}

// The areas begin with the device that has the most bytes.
function checkDevices({ places }) {
  const of = (host, gpu) => places.fullest(places.read({
    devices: ["host", "cuda:0"],
    places: [[-1, "app", "", "package", 0, null, "", [host, gpu], null, 0, null, true]],
  }), 2);
  assert.deepStrictEqual([of(2, 1), of(1, 2), of(0, 0)], [0, 1, 0]);
}

// A package with only the module of its name gives way to that module.
function checkSimplest({ places }) {
  const row = [-1, "app", "", "package", 0, null, "", null, [9], 0, null, true];
  const child = [0, "app", "module", "module", 1, 7, "app", [9], [9], 0];
  const grandchild = [1, ".x", "list", "container", 1, 8, "app.x", [1], [1], 0];
  const root = places.read({ devices: ["host"], places: [row, child, grandchild] });
  const [only] = root.children;
  assert.strictEqual(only.category, "module");
  assert.deepStrictEqual([only.mine, only.depth, only.children[0].depth], [true, 1, 2]);
  places.addUp(root, 0, null, true);
  assert.strictEqual(root.value, 10);
}

function checkTables({ tables }) {
  const cell = (value, text) => ({ getAttribute: () => value, textContent: text });
  assert.strictEqual(tables.key(cell("12", "12 B")), 12);
  assert.strictEqual(tables.key(cell(null, "List")), "list");
  assert.strictEqual(tables.key(undefined), "");
  assert(tables.compare(2, 10) < 0 && tables.compare("b", "a") > 0);
}

function checkBreaks({ breaks }) {
  const texts = ["app|.sessions|[*]|.user", "weakref|.WeakMethod(object|.method).", "11.8 MiB",
    "train|.py:12", "gc|.collect() frees it. Then [0]", "metrics|['history']|[*]|.größe",
    "torch|.Torch|In|Graph|Function|Variable", "SixteenLettersOf", "Log|Softmax|Backward0", "app|.a_|long_|name_|of__six_|words__"];
  for (const text of texts)
    assert.strictEqual(breaks.parts(text.replaceAll("|", "")).join("|"), text);
}

// Stands in for an element: it has what the script of a notebook's cell uses.
function element(fields) {
  const listeners = {};
  const classes = new Set();
  return {
    classList: {
      toggle: (name, on) => classes[on ? "add" : "delete"](name),
      contains: (name) => classes.has(name),
    },
    addEventListener: (event, listener) => { listeners[event] = listener; },
    fire: (event) => listeners[event](),
    ...fields,
  };
}

function checkNotebook() {
  const assets = path.join(__dirname, "../../export/page/assets");
  const script = fs.readFileSync(path.join(assets, "notebook.js"), "utf8");
  const button = element({});
  const filter = element({ type: "search", value: "" });
  let below;
  const rows = new Array(12).fill({});
  const table = element({
    tBodies: [{ rows, append: (...more) => rows.push(...more) }],
    previousElementSibling: filter,
    after: (made) => { below = made; },
  });
  let unfolded = false;
  const more = {
    previousElementSibling: table,
    querySelector: () => ({ tBodies: [{ rows: new Array(28).fill({}) }] }),
    remove: () => { unfolded = true; },
  };
  const output = {
    querySelectorAll: (asked) => (asked === "details.more" ? [more] : [table]),
  };
  const prepared = [];
  vm.runInNewContext(script, {
    tables: { prepare: (one) => prepared.push(one) },
    document: {
      createElement: () => button,
      currentScript: { parentElement: output },
    },
  });
  const state = () => [table.classList.contains("folded"), button.textContent];
  assert(unfolded && prepared[0] === table && below === button);
  assert.deepStrictEqual(state(), [true, "Show all 40 rows"]);
  button.fire("click");
  assert.deepStrictEqual(state(), [false, "Show fewer rows"]);
  button.fire("click");
  filter.value = "list";
  filter.fire("input");
  assert(!table.classList.contains("folded") && button.hidden);
  filter.value = "";
  filter.fire("input");
  assert(table.classList.contains("folded") && !button.hidden);
}

function checkCaption({ AreaMap }) {
  const place = { label: ".losses", type: "collections.deque", value: 2048 };
  const caption = (width, height = 24) =>
    AreaMap.prototype.caption({ place, width, height });
  assert.strictEqual(caption(400), ".losses deque 2.00 KiB");
  assert.strictEqual(caption(140), ".losses 2.00 KiB");
  assert.strictEqual(caption(70), ".losses");
  assert(caption(50).endsWith("…"));
  assert.strictEqual(caption(20), "");
  assert.strictEqual(caption(400, 10), "");
  const chain = [{ label: "app", type: "module" }, { label: ".bus", type: "app.Bus" }, place];
  const whole = AreaMap.prototype.caption({ place, chain, width: 400, height: 24 });
  assert.strictEqual(whole, "app.bus.losses deque 2.00 KiB");
  // Half as many letters fit if each is twice as wide.
  assert.strictEqual(AreaMap.textWidth("日本"), 25);
}

try {
  const page = pageOf("training");
  const shared = load(page);
  checkPolicy(page);
  checkFormat(shared);
  checkLayout(shared, checkPlaces(shared, dataOf(page)));
  checkPlaces(shared, dataOf(pageOf("family")));
  checkPlaces(shared, dataOf(pageOf("losses", "training")));
  checkDepth(shared);
  checkRoom(shared);
  checkFind(shared);
  checkChange(shared);
  checkColours();
  checkHistory(shared);
  checkDevices(shared);
  checkSimplest(shared);
  checkTables(shared);
  checkBreaks(shared);
  checkNotebook();
  checkCaption(shared);
} finally {
  fs.rmSync(folder, { recursive: true });
}
