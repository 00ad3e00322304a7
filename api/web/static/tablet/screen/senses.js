// Sound of taps, visible echo of taps, and a screen that stays on.

import { choices } from "../../shared/settings.js";

/** @type {AudioContext | null} */
let audio = null;

/** Play a short click, the same for every gesture, if sound is on. */
export function click() {
  if (!choices().sound) return;
  audio ??= new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 880;
  volume.gain.setValueAtTime(0.08, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + 0.05);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.06);
}

/**
 * Keep the screen on while a match is recorded; returns a function that stops it.
 * @returns {() => void}
 */
export function keepAwake() {
  /** @type {WakeLockSentinel | null} */
  let lock = null;
  let isOver = false;
  const ask = async () => {
    if (!("wakeLock" in navigator) || document.visibilityState !== "visible" || isOver) return;
    // Refused if the battery is low: the screen may go dark, recording goes on.
    lock = await navigator.wakeLock.request("screen").catch(() => null);
  };
  document.addEventListener("visibilitychange", ask);
  void ask();
  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", ask);
    void lock?.release();
  };
}

/** How long a tapped key is highlighted. */
const ECHO_MS = 180;

/**
 * Highlight every tapped key for a moment, whatever the tap does. Without a fade, whose frames
 * would be painted while the tap is being recorded.
 */
export function echoTaps() {
  document.addEventListener("pointerdown", ({ target }) => {
    const key = target instanceof Element ? target.closest("button") : null;
    if (key === null) return;
    key.classList.add("tapped");
    setTimeout(() => key.classList.remove("tapped"), ECHO_MS);
  });
}
