// The API as modules call it: JSON in and out, refusals as RFC 9457 problems, sessions by cookie.

/** A refusal, or an answer that is none of this server's. */
export class ApiProblem extends Error {
  /**
   * @param {number} status 0 where no answer came
   * @param {Record<string, any>} body the problem document
   */
  constructor(status, body) {
    // In the page's language where the server has said it in that; details are English.
    super(body.told || body.detail || body.title || `status ${status}`);
    this.status = status;
    /** Last part of the problem's type, such as `version-conflict`. */
    this.slug = String(body.type ?? "").split("/").pop() ?? "";
    this.body = body;
  }
}

/** The header's value that a write by cookie needs; null on a page for the public. */
export let csrf = document.querySelector("meta[name=csrf]")?.getAttribute("content") ?? null;

/** Requests without an answer yet. */
let asked = 0;
/** Called when the last of them has its answer. */
let answered = () => {};
/** Until it resolves nothing more is asked. @type {Promise<unknown>} */
let held = Promise.resolve();

/**
 * Do something while this page asks the server nothing: what was asked before is answered first,
 * what is asked meanwhile waits.
 *
 * @param {() => Promise<unknown>} work
 */
export async function quietly(work) {
  const before = held;
  const turn = before.then(async () => {
    if (asked > 0) await new Promise((resolve) => (answered = () => resolve(null)));
    await work();
  });
  held = turn.catch(() => {});
  await turn;
}

/**
 * A fetch that `quietly` may hold back.
 *
 * @param {string} path
 * @param {RequestInit} options
 * @param {{ isLong?: boolean }} [duration] one that takes minutes is not waited for
 */
export async function request(path, options, { isLong = false } = {}) {
  await held;
  if (isLong) return fetch(path, options);
  asked += 1;
  try {
    return await fetch(path, options);
  } finally {
    asked -= 1;
    if (asked === 0) answered();
  }
}

/**
 * One request. A write by cookie carries the page's CSRF value.
 *
 * @param {string} method
 * @param {string} path
 * @param {{ body?: any, token?: string, headers?: Record<string, string>, signal?: AbortSignal }} [options]
 * @returns {Promise<{ status: number, etag: string | null, json: any }>}
 * @throws {ApiProblem} for every status from 400 on, and with status 0 where no answer came
 */
export async function api(method, path, { body, token, headers = {}, signal } = {}) {
  /** @type {Record<string, string>} */
  const sent = { Accept: "application/json", ...headers };
  if (token) sent.Authorization = `Bearer ${token}`;
  else if (csrf && method !== "GET") sent["X-Tabularium-CSRF"] = csrf;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await request(path, {
      method,
      headers: sent,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: token ? "omit" : "same-origin",
      cache: "no-store",
      signal,
    });
  } catch (error) {
    throw new ApiProblem(0, { type: "no-answer", title: String(error) });
  }
  const isJson = (answer.headers.get("Content-Type") ?? "").includes("json");
  const json = isJson ? await answer.json() : null;
  if (sent["X-Tabularium-CSRF"] && json?.type === "/problems/csrf") await renew();
  if (answer.status >= 400) throw new ApiProblem(answer.status, json ?? {});
  return { status: answer.status, etag: answer.headers.get("ETag"), json };
}

/**
 * Whoever was signed out under a page, and has signed in again beside it, goes on with what was
 * typed there: the next write carries the new session's value. That it goes into the name of
 * whoever is signed in now is told first, so nothing is sent again from here.
 */
export async function renew() {
  const page = await request("/session", { cache: "no-store" }).then((answer) => answer.text());
  csrf = /name="csrf" value="(\w+)"/.exec(page)?.[1] ?? csrf;
}

/**
 * A signal that ends a request that nobody answers.
 * @param {number} ms
 * @returns {AbortSignal}
 */
export function patience(ms) {
  const control = new AbortController();
  setTimeout(() => control.abort(), ms);
  return control.signal;
}
