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
  const names = "({format, places, layout, tables, growth, AreaMap, d3})";
  return vm.runInNewContext(`${scriptOf(page)}\n${names}`, {});
}

function checkFormat({ format }) {
  const sizes = [[0, "0 B"], [812, "812 B"], [1024, "1.00 KiB"], [12345678, "11.8 MiB"],
    [2 ** 30 * 1.93, "1.93 GiB"], [1023.9 * 1024, "1.00 MiB"]];
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
  const treemap = layout.treemap(root, 800, 500, 4);
  assert(icicle.length > 2 && treemap.length > 2);
  assert(icicle.every((area) => inside(area, 800, 14 * layout.ROW)));
  assert(treemap.every((area) => inside(area, 800, 500)));
  // A place with few bytes ends after the requested levels.
  const deepest = (tree) => Math.max(...tree.descendants().map((node) => node.depth));
  const chain = (depth, value) => ({
    depth, value, children: depth < 12 ? [chain(depth + 1, value)] : [] });
  const focus = { depth: 0, value: 100, children: [chain(1, 98), chain(1, 2)] };
  assert.strictEqual(deepest(layout.hierarchy(focus, 4)), 4);
  const tree = layout.hierarchy(focus, 4, layout.MORE);
  assert.strictEqual(deepest(tree.children[0]), 4 + layout.MORE);
  assert.strictEqual(deepest(tree.children[1]), 4);
  assert.strictEqual(icicle[0].place, root);
  assert(Math.abs(icicle[0].width - 800) < 0.01);
  for (const area of icicle)
    assert(Math.abs(area.width - (800 * area.place.value) / root.value) < 0.01);
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
  checkHistory(shared);
  checkDevices(shared);
  checkSimplest(shared);
  checkTables(shared);
  checkNotebook();
  checkCaption(shared);
} finally {
  fs.rmSync(folder, { recursive: true });
}
