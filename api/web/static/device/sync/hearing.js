// Listens to a match's event stream, to learn at once, and not by polling, what others record.

import { request } from "../../shared/http.js";

/** Pause before the stream is opened again, whichever side closed it. */
const AGAIN_MS = 5_000;
/** How long the server may take to answer before the connection counts as dead. */
const ANSWER_MS = 8_000;
/** How long the stream may be silent before it counts as dead; the server pings every 15 s. */
const SILENCE_MS = 40_000;

/**
 * Listen until `signal` aborts. A stream that breaks or is refused is opened again. The device
 * polls for the same news anyway; the stream only brings it sooner.
 * @param {object} line
 * @param {string} line.path of the match
 * @param {string} line.token
 * @param {() => number} line.after last version known here, at each opening
 * @param {(version: number) => void} line.heard called with the version of a new entry
 * @param {AbortSignal} line.signal
 */
export async function listen({ path, token, after, heard, signal }) {
  // An EventSource could not send the device's token.
  const headers = { Accept: "text/event-stream", Authorization: `Bearer ${token}` };
  while (!signal.aborted) {
    const dead = new AbortController();
    const end = () => dead.abort();
    signal.addEventListener("abort", end);
    let timer = setTimeout(end, ANSWER_MS);
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE_MS);
    };
    try {
      const options = { headers, credentials: /** @type {const} */ ("omit"), signal: dead.signal };
      const answer = await request(`${path}/live?after=${after()}`, options);
      if (answer.ok && answer.body) await read(answer.body, alive, heard);
    } catch {
      // No network, no server, or another server's answer: try again after the pause.
    }
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    // Without this, a refused or unreadable answer would stay open with no reader.
    end();
    await pause(signal);
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {() => void} alive called before each read, to restart the timer of silence
 * @param {(version: number) => void} heard
 */
async function read(body, alive, heard) {
  const reader = body.getReader();
  const text = new TextDecoder();
  let open = "";
  for (;;) {
    alive();
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (open + text.decode(value, { stream: true })).split("\n\n");
    open = frames.pop() ?? "";
    for (const frame of frames) {
      const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
      if (data !== undefined) heard(JSON.parse(data).version);
    }
  }
}

/** @param {AbortSignal} signal */
function pause(signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // Otherwise listeners would pile up, one with each reopening.
      signal.removeEventListener("abort", end);
      resolve(null);
    };
    const timer = setTimeout(end, AGAIN_MS);
    signal.addEventListener("abort", end);
  });
}
