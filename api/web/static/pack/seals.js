// Checks the seals of a pack: hashes, places in the log, chain, signature, commitments of names.

/** Files of a pack: path to text. @typedef {Record<string, string>} Files */
/** A result. @typedef {{ key: string, values?: Record<string, string | number> }} Line */

/** Thrown if a pack does not prove what it claims; `key` names the text that says why. */
export class Broken extends Error {
  /** @param {string} key @param {Record<string, string | number>} [values] */
  constructor(key, values = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/**
 * @param {unknown} fact
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {asserts fact}
 */
function need(fact, key, values) {
  if (!fact) throw new Broken(key, values);
}

const utf8 = new TextEncoder();

/** @param {string} text */
function fromBase64(text) {
  need(/^[A-Za-z0-9+/]*={0,2}$/.test(text), "pack.bad_note");
  const raw = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  need(btoa(String.fromCharCode(...raw)) === text, "pack.bad_note");
  return raw;
}

/** @param {Uint8Array} raw */
export function hex(raw) {
  return [...raw].map((one) => one.toString(16).padStart(2, "0")).join("");
}

/** @param {string} text */
function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (one) => Number.parseInt(one, 16));
}

/** @param {...Uint8Array} parts */
async function sha256(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, one) => sum + one.length, 0));
  let at = 0;
  for (const one of parts) {
    whole.set(one, at);
    at += one.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
}

/** @param {Uint8Array} left @param {Uint8Array} right */
const node = (left, right) => sha256(Uint8Array.of(1), left, right);

/**
 * The root to which an inclusion path leads (RFC 9162 2.1.3.2); null if the path is invalid.
 *
 * @param {Uint8Array} leaf
 * @param {number} index
 * @param {number} size
 * @param {Uint8Array[]} path
 */
async function rootOf(leaf, index, size, path) {
  let [first, second, root] = [index, size - 1, leaf];
  for (const one of path) {
    if (second === 0) return null;
    if (first % 2 === 1 || first === second) {
      root = await node(one, root);
      while (first !== 0 && first % 2 === 0) {
        first = Math.floor(first / 2);
        second = Math.floor(second / 2);
      }
    } else root = await node(root, one);
    first = Math.floor(first / 2);
    second = Math.floor(second / 2);
  }
  return second === 0 ? root : null;
}

/**
 * The checkpoint, after checking that its key belongs to the log that it names.
 *
 * @param {Files} files
 */
async function checkpointOf(files) {
  const note = files["checkpoint"];
  const [head, tail] = note.split("\n\n");
  const [origin, size, root, ...more] = head.split("\n");
  need(more.length === 0 && tail !== undefined && /^(0|[1-9]\d*)$/.test(size), "pack.bad_note");
  const [name, id, material, ...rest] = files["log.vkey"].replace(/\n$/, "").split("+");
  // Base64 may contain a plus sign; names do not.
  const raw = fromBase64([material, ...rest].join("+"));
  need(name === origin && raw.length === 33 && raw[0] === 1, "pack.bad_key");
  const key = (await sha256(utf8.encode(`${name}\n`), raw)).slice(0, 4);
  need(hex(key) === id, "pack.bad_key");
  const signatures = tail
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([dash, signer]) => dash === "\u2014" && signer === name)
    .map(([, , encoded]) => fromBase64(encoded))
    .filter((one) => hex(one.slice(0, 4)) === id)
    .map((one) => one.slice(4));
  need(signatures.length > 0, "pack.unsigned");
  const hash = fromBase64(root);
  need(hash.length === 32, "pack.bad_note");
  return { text: `${head}\n`, size: Number(size), root: hex(hash), public: raw.slice(1), signatures };
}

/**
 * Whether every signature line in the log's name is valid; null if this browser cannot check it.
 *
 * @param {{ text: string, public: Uint8Array<ArrayBuffer>, signatures: Uint8Array<ArrayBuffer>[] }} checkpoint
 */
async function isSigned({ text, public: raw, signatures }) {
  let key;
  try {
    key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  } catch {
    return null;
  }
  const said = utf8.encode(text);
  const told = await Promise.all(signatures.map((one) => crypto.subtle.verify("Ed25519", key, one, said)));
  return told.every(Boolean);
}

/**
 * @param {Files} files
 * @param {number} index
 * @param {Uint8Array} leaf
 * @param {{ size: number, root: string }} checkpoint
 */
async function isIn(files, index, leaf, checkpoint) {
  const proof = files[`proofs/${index}.tlog-proof`] ?? "";
  const cut = proof.indexOf("\n\n");
  if (cut < 0 || proof.slice(cut + 2) !== files["checkpoint"]) return false;
  const [header, place, ...path] = proof.slice(0, cut).split("\n");
  if (header !== "c2sp.org/tlog-proof@v1" || place !== `index ${index}`) return false;
  const root = await rootOf(leaf, index, checkpoint.size, path.map(fromBase64));
  return root !== null && hex(root) === checkpoint.root;
}

/** A disclosed entry. @typedef {{ index: number, leaf: string, entry: any }} Sealed */

/**
 * Collect all commitments in a value.
 *
 * @param {any} value
 * @param {Set<string>} found
 */
function commitments(value, found) {
  if (value === null || typeof value !== "object") return;
  if (Object.keys(value).length === 1 && typeof value.sd === "string") found.add(value.sd);
  else for (const one of Object.values(value)) commitments(one, found);
}

/**
 * Check everything in a pack that can be checked without other files.
 *
 * @param {Files} files
 * @returns {Promise<{ entries: Map<number, Sealed>, leaves: Map<number, string>, sds: Set<string>, opened: Map<string, [string, any]>, isSigned: boolean | null, lines: Line[], key: string, stream: string }>}
 * @throws {Broken}
 */
export async function check(files) {
  const checkpoint = await checkpointOf(files);
  const signed = await isSigned(checkpoint);
  need(signed !== false, "pack.bad_signature");
  const told = JSON.parse(files["bundle.json"]);
  need(told.size === checkpoint.size, "pack.bad_told");
  /** @type {Map<number, Sealed>} */
  const entries = new Map();
  /** @type {Map<number, string>} */
  const leaves = new Map();
  for (const [name, text] of Object.entries(files)) {
    const found = /^(entries|withheld)\/(\d+)(?:\.json)?$/.exec(name);
    if (found === null) continue;
    const index = Number(found[2]);
    const isShown = found[1] === "entries";
    const leaf = isShown ? await sha256(Uint8Array.of(0), utf8.encode(text)) : fromHex(text);
    need(await isIn(files, index, leaf, checkpoint), "pack.not_in_log", { index });
    need(!leaves.has(index), "pack.not_in_log", { index });
    leaves.set(index, hex(leaf));
    if (isShown) entries.set(index, { index, leaf: hex(leaf), entry: JSON.parse(text) });
  }
  chained(entries, new Set(leaves.values()), told);
  const sds = new Set();
  for (const { entry } of entries.values()) commitments(entry, sds);
  const opened = new Map();
  for (const [name, text] of Object.entries(files)) {
    const found = /^disclosures\/([0-9a-f]{64})\.json$/.exec(name);
    if (found !== null) opened.set(found[1], await disclosed(found[1], text, sds));
  }
  const withheld = leaves.size - entries.size;
  /** @type {Line[]} */
  const lines = [
    { key: "pack.told_entries", values: { shown: entries.size, withheld, size: checkpoint.size } },
    { key: "pack.told_names", values: { shown: opened.size, withheld: sds.size - opened.size } },
  ];
  const key = files["log.vkey"].trim();
  return { entries, leaves, sds, opened, isSigned: signed, lines, key, stream: told.stream };
}

/**
 * Check that each entry follows the one before, and that only declared entries are missing.
 *
 * @param {Map<number, Sealed>} entries
 * @param {Set<string>} leaves
 * @param {any} told
 */
function chained(entries, leaves, told) {
  const versions = new Map();
  for (const { leaf, entry } of [...entries.values()].sort((one, two) => one.index - two.index)) {
    need(entry.log === told.log, "pack.bad_chain", { version: entry.version });
    need((entry.prev === null) === (entry.version === 1), "pack.bad_chain", { version: entry.version });
    need(entry.prev === null || leaves.has(entry.prev), "pack.bad_chain", { version: entry.version });
    const before = versions.get(`${entry.stream} ${entry.version - 1}`);
    need(before === undefined || before === entry.prev, "pack.bad_chain", { version: entry.version });
    versions.set(`${entry.stream} ${entry.version}`, leaf);
  }
  const hidden = new Set(told.cut === false ? [] : told.cut.withheld);
  for (let version = told.first; version <= told.last; version += 1) {
    const isThere = versions.has(`${told.stream} ${version}`);
    need(isThere !== hidden.has(version), "pack.bad_chain", { version });
  }
  need(!versions.has(`${told.stream} ${told.last + 1}`), "pack.bad_told");
}

/**
 * The name or text of a disclosure, after checking that an entry has committed to it.
 *
 * @param {string} named
 * @param {string} text
 * @param {Set<string>} sds
 * @returns {Promise<[string, any]>}
 */
async function disclosed(named, text, sds) {
  const digest = hex(await sha256(utf8.encode(text)));
  need(digest === named && sds.has(digest), "pack.bad_name");
  const [, name, value] = JSON.parse(text);
  return [name, value];
}

/**
 * Check unsealed entries and names against the leaves and commitments in the pack.
 *
 * @param {Awaited<ReturnType<typeof check>>} found
 * @param {{ name: string, text: string }[]} given files of `disclosures/` and `unsealed/`
 * @returns {Promise<[string, any][]>}
 */
export async function unsealed(found, given) {
  const sds = new Set(found.sds);
  const rest = [];
  for (const { name, text } of given) {
    const place = /^(\d+)\.json$/.exec(name);
    if (place === null) {
      rest.push(text);
      continue;
    }
    const leaf = hex(await sha256(Uint8Array.of(0), utf8.encode(text)));
    need(found.leaves.get(Number(place[1])) === leaf, "pack.not_in_log", { index: Number(place[1]) });
    commitments(JSON.parse(text), sds);
  }
  const opened = [];
  for (const text of rest) {
    const digest = hex(await sha256(utf8.encode(text)));
    opened.push(await disclosed(digest, text, sds));
  }
  return opened;
}

/**
 * Check that the replay's data agree with the sealed entries: tag, id, dice and texts of each.
 *
 * @param {Awaited<ReturnType<typeof check>>} found
 * @param {readonly any[]} scenes
 */
export function agree({ entries, opened, stream }, scenes) {
  const sealed = new Map();
  for (const one of entries.values()) {
    if (one.entry.stream === stream) sealed.set(one.entry.version, one);
  }
  const shown = new Set([...opened.values()].map(([, value]) => value));
  for (const scene of scenes) {
    const entry = sealed.get(scene.version)?.entry;
    const { version } = scene;
    need(entry !== undefined && entry.tag === scene.tag && entry.entry_id === scene.entry_id, "pack.not_as_sealed", { version });
    if (scene.status === "stands" && entry.tag === "dice.rolled" && scene.facts.dice !== undefined) {
      const dice = entry.body.dice.join("");
      const told = String(scene.facts.dice).replace(/\D/g, "");
      need(dice === told || dice === [...told].reverse().join(""), "pack.not_as_sealed", { version });
    }
    for (const { text } of scene.words) {
      need(text === null || shown.has(text), "pack.not_as_sealed", { version });
    }
  }
  return sealed;
}
