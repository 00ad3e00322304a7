// The kinds of rows that a device keeps, and what changes them: for those who read, and for editors.

import type { Entry, FoldTerms } from "../../shared/types";
import type { DeviceKey } from "../chain/keys.js";
import type { Checkpoint } from "../chain/tree.js";

/** Who this device is; one for the whole browser profile. */
export interface Identity {
  name: "device";
  device: string;
  /** Rises when the storage was lost. */
  epoch: number;
  /** The device's own secret, of which the server knows the hash alone. */
  token: string;
  token_sha256: string;
  key: DeviceKey | null;
}

/** A pairing with one log, as far as it has come. */
export interface Enrolment {
  log_id: string;
  pairing_id: string;
  match_id: string | null;
  fingerprint: string[];
  state: "waiting" | "approved" | "refused" | "expired";
  epoch: number;
  /** Rises with each claim of this device. */
  order: number;
}

/** The end of the device's hash chain in a log. */
export interface Chain {
  log_id: string;
  epoch: number;
  last_seq: number;
  last_hash: string | null;
  /** Last one of which the server has given a receipt. */
  acked_seq: number;
  /** The last one that was proved. */
  checkpoint: Checkpoint | null;
  /**
   * The last one that was proved and is safe outside of the server's database: an archive that goes on from
   * there may be an older backup. Not there in what an earlier version kept: then it is the last one of all.
   */
  anchor?: Checkpoint | null;
  /** How many entries of the log were safe when the server was last asked. */
  covered?: number;
}

/** A draft as it was signed, and the entry that it makes. */
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
  /** Why it will be parked, if an earlier one of its stream was. */
  doomed: string | null;
  /** Place of its entry in the log, once that is there. */
  position?: number | null;
  /** The checkpoint that came with its receipt. */
  proved?: Checkpoint | null;
}

/** A draft that the server keeps for the director. */
export type ParkedRow = DraftRow & { reason: string | null; is_sent: boolean };

/** How a match's stream stands as this device knows it. */
export interface StreamRow {
  log_id: string;
  match_id: string;
  /** Last version of which the entry is here, with all before it. */
  version: number;
  /** Its leaf hash, where known. */
  head: string | null;
  /** The device's lease, the last one it had. */
  lease: number | null;
  role: "scribe" | "shadow" | "none";
  /** What the rule set in force says, as the server told it. */
  terms?: FoldTerms;
  /** What the screen may show, as the director last said. */
  profile?: string;
}

/** A file that is evidence; its bytes stay until the server has them. */
export interface FileRow {
  log_id: string;
  sha256: string;
  type: string;
  /** Null once sent. */
  bytes: ArrayBuffer | null;
}

/** Which tab leads, and how often it has said so. */
export interface Beat {
  owner: string;
  beat: number;
}

/** Where streams stand, by match. */
export type Heads = Record<string, { version: number; head: string | null }>;

/** What one answer of the server changes. */
export interface Settlement {
  accepted: DraftRow[];
  /** What is not safe although it has a receipt; null where nothing ever is. */
  kept: DraftRow[] | null;
  parked: ParkedRow[];
  /** Streams whose other drafts wait as well. */
  doomed: { match_id: string; reason: string }[];
  heads: Heads;
  acked_seq: number;
  /** The checkpoint that was kept. */
  proved_from: Checkpoint | null;
  /** One that goes on from it. */
  checkpoint: Checkpoint | null;
}

/** Which boards the device records, as the server says. */
export interface Assignment {
  device: string;
  epoch: number;
  leases: { match_id: string; lease: number; shadow_of: string | null }[];
  streams: Record<string, { version: number; head: string }>;
  cursor: { last_seq: number; last_hash: string | null };
  server_time_ms: number;
  /** How many entries of the log are safe outside of its database. */
  covered?: number | null;
}

/** How patient the flusher is; in milliseconds. */
export interface Timing {
  /** When a request counts as lost. */
  request_ms: number;
  /** The same for a file, beside what its bytes take. */
  file_ms: number;
  /** Between questions for the assignment. */
  poll_ms: number;
  /** The same while entries wait for the director. */
  waiting_ms: number;
  /** Between looks at the outbox while all is well. */
  idle_ms: number;
  /** First pause after a failure; doubled with each further one. */
  backoff_ms: number;
  backoff_max_ms: number;
}
