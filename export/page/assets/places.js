"use strict";

// Builds the dominator tree, folded by place, from the rows of the page's data.
const places = {
  // Makes a place for each row, below one for everything. What a row leaves out becomes a
  // place too, so that the bytes below any place add up.
  read(data) {
    const nothing = data.devices.map(() => 0);
    const root = {
      label: "everything", type: "", category: "root", members: 0, path: "",
      own: nothing, parent: null, children: [], depth: 0,
    };
    const all = data.places.map((row) => this.one(row, nothing));
    data.places.forEach((row, i) => {
      const parent = row[0] < 0 ? root : all[row[0]];
      this.put(all[i], parent);
      if (row[9] > 0) this.put(this.rest(row, all[i]), all[i]);
    });
    root.children = root.children.map((child) => this.simplest(child));
    return root;
  },

  // Replaces a package that has only the module of its name by that module.
  simplest(place) {
    const [only, ...others] = place.children;
    if (place.category !== "package" || others.length > 0 || !only || only.label !== place.label)
      return place;
    only.parent = place.parent;
    only.mine = place.mine;
    for (const each of this.below(only)) each.depth -= 1;
    return only;
  },

  // Lists a place and all below it, owners first.
  below(place) {
    const all = [place];
    for (let i = 0; i < all.length; i++) all.push(...all[i].children);
    return all;
  },

  one(row, nothing) {
    const [, label, type, category, members, node, path, own, retained] = row;
    const mine = row[11] === true;
    return {
      label, type, category, members, node, path, retained, mine,
      own: own || nothing, children: [], history: row[12] || null,
      restHistory: row[13] || null,
    };
  },

  rest(row, above) {
    return {
      label: `${format.count(row[9])} more places`, type: "", category: "rest",
      members: 0, path: above.path, own: row[10], retained: row[10], children: [],
      history: above.restHistory, mine: false,
    };
  },

  put(place, parent) {
    place.parent = parent;
    place.depth = parent.depth + 1;
    parent.children.push(place);
  },

  // The text of an area: `.losses`, `[*]`, or else the type.
  name(place) {
    return place.label || this.shortType(place) || "object";
  },

  shortType(place) {
    return place.type.split(".").pop();
  },

  // Bytes of a place alone, on one device, in one snapshot (null: the newest).
  own(place, device, snapshot) {
    const bytes = snapshot !== null && place.history ? place.history[snapshot] : place.own;
    return bytes[device] || 0;
  },

  // The device on which the newest snapshot has the most bytes.
  fullest(root, devices) {
    let found = 0;
    let most = 0;
    for (let device = 0; device < devices; device++) {
      this.addUp(root, device, null, false);
      if (root.value > most) [found, most] = [device, root.value];
    }
    return found;
  },

  // Sets `value` of each place: its bytes and all below it. With `mine`, packages other than
  // the program's own have none.
  addUp(root, device, snapshot, mine) {
    for (const place of this.below(root).reverse()) {
      place.value = this.own(place, device, snapshot);
      for (const child of place.children) place.value += child.value;
      if (mine && place.depth === 1 && !place.mine) place.value = 0;
    }
  },

  // Lists the places from the root down to this place.
  trail(place) {
    const trail = [];
    for (let at = place; at; at = at.parent) trail.unshift(at);
    return trail;
  },
};
