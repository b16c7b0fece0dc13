import x from "y";

/** Opens a store. */
export class Store {
  open(name) {
    return name; // kept
  }
}

const total = (items) => items.length;
