// Requests to the API: JSON in and out, refusals as RFC 9457 problems, sessions by cookie.

/** A refusal, a failed request, or an answer of another server. */
export class ApiProblem extends Error {
  /**
   * @param {number} status 0 = no answer
   * @param {Record<string, any>} body the problem document
   */
  constructor(status, body) {
    // `told` is in the page's language; details are in English.
    super(body.told || body.detail || body.title || `status ${status}`);
    this.status = status;
    /** Last part of the problem's type, such as `version-conflict`. */
    this.slug = String(body.type ?? "").split("/").pop() ?? "";
    this.body = body;
  }
}

/** The CSRF value that writes by cookie need; null on public pages. */
export let csrf = document.querySelector("meta[name=csrf]")?.getAttribute("content") ?? null;

/** The number of requests without an answer yet. */
let asked = 0;
/** Called when all of them have an answer. */
let answered = () => {};
/** New requests wait until it resolves. @type {Promise<unknown>} */
let held = Promise.resolve();

/**
 * Do work while this page has no request under way: earlier requests end first, later ones wait.
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
 * A `fetch` that waits while `quietly` works.
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
 * Send a request and read the JSON. Writes by cookie carry the page's CSRF value.
 *
 * @param {string} method
 * @param {string} path
 * @param {{ body?: any, token?: string, headers?: Record<string, string>, signal?: AbortSignal }} [options]
 * @returns {Promise<{ status: number, etag: string | null, json: any }>}
 * @throws {ApiProblem} for every status from 400 on, and with status 0 if no answer came
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
 * Fetch the CSRF value of the current session, after the person has signed in again in another tab.
 * The failed write is not repeated: the person must know first under which name it will be sent.
 */
export async function renew() {
  const page = await request("/session", { cache: "no-store" }).then((answer) => answer.text());
  csrf = /name="csrf" value="(\w+)"/.exec(page)?.[1] ?? csrf;
}

/**
 * A signal that aborts a request after so many milliseconds.
 * @param {number} ms
 * @returns {AbortSignal}
 */
export function patience(ms) {
  const control = new AbortController();
  setTimeout(() => control.abort(), ms);
  return control.signal;
}
