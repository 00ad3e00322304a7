// A match's live line: what somebody else records is heard at once, not at the next question.

import { request } from "../../shared/http.js";

/** Before the line is opened again, whoever ended it; in milliseconds. */
const AGAIN_MS = 5_000;
/** When a line that is not answered counts as dead; in milliseconds. */
const ANSWER_MS = 8_000;
/** When a line that says nothing counts as dead: the server breathes every 15 s. */
const SILENCE_MS = 40_000;

/**
 * Listen until told to stop. A line that breaks or is refused is opened again: it brings nothing
 * that the device does not also ask for by itself, only sooner.
 * @param {object} line
 * @param {string} line.path of the match
 * @param {string} line.token
 * @param {() => number} line.after last version known here, at each opening
 * @param {(version: number) => void} line.heard an entry of this version is there
 * @param {AbortSignal} line.signal
 */
export async function listen({ path, token, after, heard, signal }) {
  // Not an EventSource: that cannot send the device's token.
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
      // No network, no server, none of ours: as if nothing had been said.
    }
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    // Refused or not understood, it would stay open and be heard by nobody.
    end();
    await pause(signal);
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {() => void} alive something came
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
      // Left behind, one more would stay with each opening for as long as the match is recorded.
      signal.removeEventListener("abort", end);
      resolve(null);
    };
    const timer = setTimeout(end, AGAIN_MS);
    signal.addEventListener("abort", end);
  });
}
