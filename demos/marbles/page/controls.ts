import { fromEvent } from 'rxjs';
import { byId, clicks } from './dom.ts';
import type { History } from './history.ts';
import { ZOOMS, type View } from './view.ts';

/** Pause, scrub and zoom. */
export class Controls {
  readonly #view: View;
  readonly #history: History;
  readonly #now: () => number;
  readonly #onZoom: () => void;
  readonly #pause = byId('pause', HTMLButtonElement);
  readonly #scrub = byId('scrub', HTMLInputElement);
  readonly #zoom = byId('zoom', HTMLInputElement);

  constructor(view: View, history: History, now: () => number, onZoom: () => void) {
    this.#view = view;
    this.#history = history;
    this.#now = now;
    this.#onZoom = onZoom;
    this.#zoom.max = String(ZOOMS.length - 1);
    clicks('pause').subscribe(() => this.togglePause());
    fromEvent(this.#scrub, 'input').subscribe(() => this.#scrubTo(Number(this.#scrub.value)));
    fromEvent(this.#zoom, 'input').subscribe(() => this.#zoomTo(Number(this.#zoom.value)));
    this.#zoomTo(ZOOMS.indexOf(10));
  }

  togglePause(): void {
    this.#hold(this.#view.heldMs === undefined ? this.#now() : undefined);
  }

  /** Looks at this moment, at the right. */
  lookAt(ms: number): void {
    this.#hold(ms);
  }

  zoomBy(steps: number): void {
    this.#zoomTo(Math.min(ZOOMS.length - 1, Math.max(0, Number(this.#zoom.value) + steps)));
  }

  /** The slider goes from the oldest that is kept to now. */
  frame(nowMs: number): void {
    const { ring } = this.#history;
    const oldestMs = Math.min(ring.at(ring.first)?.ms ?? 0, nowMs);
    set(this.#scrub, 'min', Math.floor(oldestMs / 100) / 10);
    set(this.#scrub, 'max', Math.ceil(nowMs / 100) / 10);
    const value = String(Math.round(this.#view.endMs(nowMs) / 100) / 10);
    if (this.#scrub.value !== value && document.activeElement !== this.#scrub) this.#scrub.value = value;
    else if (this.#view.heldMs === undefined) this.#scrub.value = value;
  }

  #scrubTo(seconds: number): void {
    this.#hold(seconds >= Number(this.#scrub.max) ? undefined : seconds * 1_000);
  }

  #hold(ms: number | undefined): void {
    this.#view.heldMs = ms;
    this.#pause.textContent = ms === undefined ? 'Pause' : 'Resume';
    this.#scrub.setAttribute('aria-valuetext', ms === undefined ? 'live' : `${(ms / 1_000).toFixed(1)} seconds`);
    document.body.classList.toggle('paused', ms !== undefined);
  }

  #zoomTo(step: number): void {
    const seconds = ZOOMS[step] ?? 10;
    this.#zoom.value = String(step);
    this.#zoom.setAttribute('aria-valuetext', `${seconds} seconds`);
    byId('zoom-value').textContent = `${seconds} s`;
    this.#view.seconds = seconds;
    this.#onZoom();
  }
}

function set(input: HTMLInputElement, name: 'min' | 'max', value: number): void {
  if (input[name] !== String(value)) input[name] = String(value);
}
