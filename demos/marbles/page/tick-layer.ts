import { AXIS_PX, HEIGHT_PX } from './geometry.ts';
import { px, svg } from './svg.ts';
import type { View } from './view.ts';

/** Space between two ticks at least, in pixels. */
const APART_PX = 84;
const STEPS_MS = [50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000];

/** The scale of time: a line and its moment now and then. */
export class TickLayer {
  readonly #parent: SVGGElement;
  readonly #drawn = new Map<number, SVGGElement>();

  constructor(parent: SVGGElement) {
    this.#parent = parent;
  }

  frame(view: View, fromMs: number, toMs: number): void {
    const stepMs = STEPS_MS.find((step) => step * view.pxPerMs >= APART_PX) ?? 120_000;
    const [from, to] = [Math.max(0, Math.floor(fromMs / stepMs)), Math.ceil(toMs / stepMs)];
    for (const [tick, group] of this.#drawn) {
      if (tick >= from && tick <= to) continue;
      group.remove();
      this.#drawn.delete(tick);
    }
    for (let tick = from; tick <= to; tick++) if (!this.#drawn.has(tick)) this.#append(tick, stepMs, view);
  }

  clear(): void {
    for (const group of this.#drawn.values()) group.remove();
    this.#drawn.clear();
  }

  #append(tick: number, stepMs: number, view: View): void {
    const group = this.#parent.appendChild(svg('g', { class: 'tick', transform: `translate(${px(view.x(tick * stepMs))} 0)` }));
    group.append(svg('line', { y1: AXIS_PX - 4, y2: HEIGHT_PX }));
    const text = svg('text', { y: 13 });
    text.textContent = clock(tick * stepMs, stepMs);
    group.append(text);
    this.#drawn.set(tick, group);
  }
}

function clock(ms: number, stepMs: number): string {
  const seconds = ms / 1_000;
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds % 60).toFixed(stepMs < 1_000 ? 2 : 0);
  return minutes === 0 ? `${rest} s` : `${minutes}:${rest.padStart(stepMs < 1_000 ? 5 : 2, '0')}`;
}
