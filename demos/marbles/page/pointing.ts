import { fromEvent, merge } from 'rxjs';
import type { Controls } from './controls.ts';
import type { Drawing } from './drawing.ts';
import type { Bucket } from './lanes.ts';
import type { Panel } from './panel.ts';
import type { View } from './view.ts';

const ARROWS = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' } as const;

/** What pointer and keys do in the diagram: hovering shows, clicking pins, arrows go from mark to mark. */
export class Pointing {
  readonly #drawing: Drawing;
  readonly #panel: Panel;
  readonly #view: View;
  readonly #controls: Controls;
  readonly #now: () => number;

  constructor(plot: SVGSVGElement, drawing: Drawing, panel: Panel, view: View, controls: Controls, now: () => number) {
    this.#drawing = drawing;
    this.#panel = panel;
    this.#view = view;
    this.#controls = controls;
    this.#now = now;
    const under = ({ clientX, clientY }: MouseEvent): Bucket | undefined => {
      const { left, top } = plot.getBoundingClientRect();
      return drawing.near(clientX - left, clientY - top, now());
    };
    merge(fromEvent<PointerEvent>(plot, 'pointermove'), fromEvent<PointerEvent>(plot, 'pointerdown')).subscribe((event) => {
      const bucket = under(event);
      plot.style.cursor = bucket === undefined ? '' : 'pointer';
      if (bucket !== undefined && !panel.isPinned) this.#choose(bucket);
    });
    fromEvent<MouseEvent>(plot, 'click').subscribe((event) => {
      const bucket = under(event);
      panel.pin(bucket !== undefined);
      this.#choose(bucket);
    });
    fromEvent<KeyboardEvent>(plot, 'keydown').subscribe((event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.#key(event.key)) event.preventDefault();
    });
  }

  #key(key: string): boolean {
    if (key in ARROWS) this.#step(ARROWS[key as keyof typeof ARROWS]);
    else if (key === 'Enter') this.#panel.pin(this.#drawing.selected !== undefined);
    else if (key === 'Escape') this.#unpin();
    else if (key === ' ') this.#controls.togglePause();
    else if (key === '+' || key === '=') this.#controls.zoomBy(-1);
    else if (key === '-') this.#controls.zoomBy(1);
    else return false;
    return true;
  }

  /** Goes to another mark; where it is out of sight, the diagram goes along, and stands still there. */
  #step(direction: (typeof ARROWS)[keyof typeof ARROWS]): void {
    const bucket = this.#drawing.step(direction, this.#now());
    if (bucket === undefined) return;
    this.#choose(bucket);
    this.#panel.pin(true);
    const widthMs = this.#view.seconds * 1_000;
    const [start, end] = [this.#view.startMs(this.#now()), this.#view.endMs(this.#now())];
    if (bucket.ms < start) this.#controls.lookAt(bucket.ms + widthMs * 0.8);
    else if (bucket.ms > end) this.#controls.lookAt(bucket.ms + widthMs * 0.2);
  }

  #unpin(): void {
    this.#panel.pin(false);
    this.#choose(undefined);
  }

  #choose(bucket: Bucket | undefined): void {
    this.#drawing.select(bucket);
    this.#panel.show(bucket === undefined ? [] : this.#drawing.happeningsIn(bucket), bucket?.top);
  }
}
