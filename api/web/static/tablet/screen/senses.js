// What a tablet does beside showing: an audible echo of a tap, a screen that stays on.

import { choices } from "../../shared/settings.js";

/** @type {AudioContext | null} */
let audio = null;

/** A short click, the same for every gesture, where sound is wanted. */
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
 * Keep the screen on while a match is recorded; gives the way to stop.
 * @returns {() => void}
 */
export function keepAwake() {
  /** @type {WakeLockSentinel | null} */
  let lock = null;
  let isOver = false;
  const ask = async () => {
    if (!("wakeLock" in navigator) || document.visibilityState !== "visible" || isOver) return;
    // Refused on low battery: the tablet goes on recording, the screen may go dark.
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

/** How long a tapped key looks tapped. */
const ECHO_MS = 180;

/**
 * Every tapped key is seen to have been tapped, whatever comes of it. Without a fade, whose frames
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
