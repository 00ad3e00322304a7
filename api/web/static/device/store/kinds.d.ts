// Types of the rows in the device's store, and of what changes them; for the type checker.

import type { Entry, FoldTerms } from "../../shared/types";
import type { DeviceKey } from "../chain/keys.js";
import type { Checkpoint } from "../chain/tree.js";

/** The device's identity; one for the whole browser profile. */
export interface Identity {
  name: "device";
  device: string;
  /** Rises by one each time the storage was lost or has fallen behind. */
  epoch: number;
  /** The device's secret; the server keeps only its hash. */
  token: string;
  token_sha256: string;
  key: DeviceKey | null;
}

/** A pairing with one log, and its state. */
export interface Enrolment {
  log_id: string;
  pairing_id: string;
  match_id: string | null;
  fingerprint: string[];
  state: "waiting" | "approved" | "refused" | "expired";
  epoch: number;
  /** Rises with each claim by this device. */
  order: number;
}

/** The end of the device's hash chain in a log. */
export interface Chain {
  log_id: string;
  epoch: number;
  last_seq: number;
  last_hash: string | null;
  /** Sequence number of the last draft for which the server gave a receipt. */
  acked_seq: number;
  /** The last checkpoint that was proved. */
  checkpoint: Checkpoint | null;
  /**
   * The last proved checkpoint that is safe outside the server's database: an archive that extends
   * this one may be an older backup. Missing in rows of earlier versions: then `checkpoint` counts.
   */
  anchor?: Checkpoint | null;
  /** How many entries of the log were safe when the server was last asked. */
  covered?: number;
}

/** A draft as it was signed, and the entry that it becomes. */
export interface DraftRow {
  log_id: string;
  epoch: number;
  device_seq: number;
  match_id: string;
  hash: string;
  /** Exactly the bytes that are signed and sent. */
  raw: Uint8Array<ArrayBuffer>;
  signature: string | null;
  disclosures: Uint8Array<ArrayBuffer>[];
  entry: Entry;
  lease: number | null;
  /** Why the server will park it, if that is known: an earlier draft of its match was parked. */
  doomed: string | null;
  /** Global position of its entry, once the log has it. */
  position?: number | null;
  /** The checkpoint that came with its receipt. */
  proved?: Checkpoint | null;
}

/** A draft that waits for the director's decision. */
export type ParkedRow = DraftRow & { reason: string | null; is_sent: boolean };

/** What this device knows of a match's stream. */
export interface StreamRow {
  log_id: string;
  match_id: string;
  /** Version of the last entry here; all before it are here too. */
  version: number;
  /** The leaf hash of that entry; null if unknown. */
  head: string | null;
  /** The last lease that the device had. */
  lease: number | null;
  role: "scribe" | "shadow" | "none";
  /** Terms of the rule set in force, from the server. */
  terms?: FoldTerms;
  /** The display profile that the director last chose. */
  profile?: string;
}

/** A file of evidence; its bytes stay until the server has them. */
export interface FileRow {
  log_id: string;
  sha256: string;
  type: string;
  /** Null once sent. */
  bytes: ArrayBuffer | null;
}

/** Which tab leads, and its counter. */
export interface Beat {
  owner: string;
  beat: number;
}

/** Version and head of streams, by match. */
export type Heads = Record<string, { version: number; head: string | null }>;

/** What one answer of the server changes in the store. */
export interface Settlement {
  accepted: DraftRow[];
  /** Drafts with a receipt that are not safe yet; null if the server never calls any safe. */
  kept: DraftRow[] | null;
  parked: ParkedRow[];
  /** Streams whose other drafts will be parked too. */
  doomed: { match_id: string; reason: string }[];
  heads: Heads;
  acked_seq: number;
  /** The checkpoint kept here, which the answer was proved to extend. */
  proved_from: Checkpoint | null;
  /** The new checkpoint. */
  checkpoint: Checkpoint | null;
}

/** The server's answer on which boards the device records. */
export interface Assignment {
  device: string;
  epoch: number;
  leases: { match_id: string; lease: number; shadow_of: string | null }[];
  streams: Record<string, { version: number; head: string }>;
  cursor: { last_seq: number; last_hash: string | null };
  server_time_ms: number;
  /** How many entries of the log are safe outside the server's database. */
  covered?: number | null;
}

/** Timeouts and pauses of the sender, in milliseconds. */
export interface Timing {
  /** After this time a request counts as lost. */
  request_ms: number;
  /** The same for a file, beside what its bytes take. */
  file_ms: number;
  /** Pause between polls for the assignment. */
  poll_ms: number;
  /** The same while entries wait for the director's decision. */
  waiting_ms: number;
  /** Pause between looks at the outbox while nothing is unsent. */
  idle_ms: number;
  /** First pause after a failure; doubled with each further one. */
  backoff_ms: number;
  backoff_max_ms: number;
}
