import { HEIGHT_PX, labelY, laneAt, laneY } from './geometry.ts';
import type { Happening, LaneId } from './happening.ts';
import type { History } from './history.ts';
import { isNumber, Lane, LANES, type Bucket } from './lanes.ts';
import { MarkLayer, xOf } from './mark-layer.ts';
import { SpanLayer } from './span-layer.ts';
import { px, svg } from './svg.ts';
import { TickLayer } from './tick-layer.ts';
import { RIGHT_PX, type View } from './view.ts';

/** How far from a mark it is still meant, in pixels. */
const NEAR_PX = 14;

/**
 * The diagram. Happenings go into the buckets of their lanes as they come;
 * once a frame, what is new or has changed is drawn, and one group is moved.
 */
export class Drawing {
  readonly #view: View;
  readonly #history: History;
  readonly #lanes = new Map<LaneId, Lane>(LANES.map(({ id }) => [id, new Lane(id)]));
  readonly #moving = svg('g', { class: 'moving' });
  readonly #ring = svg('circle', { class: 'ring', r: 12 });
  readonly #now = svg('line', { class: 'now', y1: 0, y2: HEIGHT_PX });
  readonly #ticks: TickLayer;
  readonly #spans: SpanLayer;
  readonly #marks: readonly MarkLayer[];
  readonly #counts: readonly SVGTSpanElement[];
  #selected: { readonly lane: LaneId; readonly place: number } | undefined;
  #drawnUpTo = 0;
  #shift = '';

  constructor(plot: SVGSVGElement, history: History, view: View) {
    this.#history = history;
    this.#view = view;
    plot.setAttribute('height', String(HEIGHT_PX));
    const [ticks, spans, marks] = [svg('g'), svg('g'), svg('g')];
    this.#moving.append(ticks, spans, marks, this.#ring);
    const [lines, labels] = [svg('g'), svg('g')];
    this.#counts = LANES.map(({ title }, index) => {
      lines.append(svg('line', { class: 'lane', x1: 0, x2: '100%', y1: laneY(index), y2: laneY(index) }));
      return labelled(labels, title, labelY(index));
    });
    plot.append(lines, this.#now, this.#moving, labels);
    this.#ticks = new TickLayer(ticks);
    this.#spans = new SpanLayer(history.requests, spans);
    this.#marks = [...this.#lanes.values()].map((lane, index) => new MarkLayer(lane, index, marks));
  }

  /** How many happenings were in the drawing when it was last drawn. */
  get drawn(): number {
    return this.#drawnUpTo;
  }

  /** How many marks are in the page now. */
  get elements(): number {
    return this.#marks.reduce((sum, { size }) => sum + size, 0);
  }

  add(happening: Happening): void {
    const { columnMs } = this.#view;
    for (const { lane: id, kind } of happening.marks) {
      const lane = this.#lane(id);
      lane.add(happening, kind, columnMs);
      lane.count++;
      lane.forgetBefore(this.#history.ring.first);
    }
  }

  /** Other widths of columns: all of the history is sorted anew. */
  rebuild(): void {
    for (const layer of [this.#ticks, this.#spans, ...this.#marks]) layer.clear();
    for (const lane of this.#lanes.values()) lane.clear();
    const { ring } = this.#history;
    const { columnMs } = this.#view;
    for (const happening of ring.between(ring.first, ring.next)) {
      for (const { lane, kind } of happening.marks) this.#lane(lane).add(happening, kind, columnMs);
    }
  }

  frame(nowMs: number): void {
    const view = this.#view;
    const [fromMs, toMs] = [view.startMs(nowMs), view.endMs(nowMs) + RIGHT_PX / view.pxPerMs];
    const shift = `translate(${(view.widthPx - RIGHT_PX - view.x(view.endMs(nowMs))).toFixed(2)} 0)`;
    if (shift !== this.#shift) this.#moving.setAttribute('transform', (this.#shift = shift));
    for (const lane of this.#lanes.values()) lane.forgetBefore(this.#history.ring.first);
    this.#ticks.frame(view, fromMs, toMs);
    this.#spans.frame(view, fromMs, toMs, nowMs);
    for (const layer of this.#marks) layer.frame(view, fromMs, toMs);
    this.#drawnUpTo = this.#history.ring.next;
    this.#place();
    for (const [index, lane] of [...this.#lanes.values()].entries()) write(this.#counts[index], lane.count);
    const nowX = px(view.widthPx - RIGHT_PX + view.x(nowMs - view.endMs(nowMs)));
    if (this.#now.getAttribute('x1') === nowX) return;
    this.#now.setAttribute('x1', nowX);
    this.#now.setAttribute('x2', nowX);
  }

  /** The marks nearest to a point of the plot. */
  near(x: number, y: number, nowMs: number): Bucket | undefined {
    const view = this.#view;
    const ms = view.startMs(nowMs) + x / view.pxPerMs;
    const column = Math.floor(ms / view.columnMs);
    const distance = (bucket: Bucket): number => Math.abs(xOf(bucket, view) - view.x(ms));
    const [nearest] = this.#lane(LANES[laneAt(y)]?.id ?? 'outbound').between(column - 1, column + 1).sort((a, b) => distance(a) - distance(b));
    return nearest !== undefined && distance(nearest) <= NEAR_PX ? nearest : undefined;
  }

  /** The marks to go to from the selected ones: along the lane, or to the nearest of another. */
  step(direction: 'left' | 'right' | 'up' | 'down', nowMs: number): Bucket | undefined {
    const current = this.selected;
    if (current === undefined) return this.#nearest(0, 1, this.#view.endMs(nowMs));
    if (direction === 'left' || direction === 'right') return this.#lane(current.lane).neighbour(current, direction === 'left' ? -1 : 1) ?? current;
    const by = direction === 'up' ? -1 : 1;
    return this.#nearest(LANES.findIndex(({ id }) => id === current.lane) + by, by, current.ms) ?? current;
  }

  get selected(): Bucket | undefined {
    return this.#selected && this.#lane(this.#selected.lane).holding(this.#selected.place);
  }

  select(bucket: Bucket | undefined): void {
    this.#selected = bucket && { lane: bucket.lane, place: bucket.top };
    this.#place();
  }

  /** The happenings behind marks that are still kept. */
  happeningsIn({ lane, first, last }: Bucket): Happening[] {
    return [...this.#history.ring.between(first, last + 1)].filter(({ marks }) => marks.some((mark) => mark.lane === lane));
  }

  /** In this lane or, where it is empty, in the next one that is not. */
  #nearest(from: number, by: -1 | 1, ms: number): Bucket | undefined {
    for (let index = from; index >= 0 && index < LANES.length; index += by) {
      const buckets = this.#lane(LANES[index]?.id ?? 'outbound').between(-Infinity, Infinity);
      const before = buckets.findLast((bucket) => bucket.ms <= ms);
      if (buckets.length > 0) return before ?? buckets[0];
    }
    return undefined;
  }

  #place(): void {
    const bucket = this.selected;
    this.#ring.style.display = bucket === undefined ? 'none' : '';
    if (bucket === undefined) return;
    this.#ring.setAttribute('cx', px(xOf(bucket, this.#view)));
    this.#ring.setAttribute('cy', String(laneY(LANES.findIndex(({ id }) => id === bucket.lane))));
    this.#ring.setAttribute('r', isNumber(bucket) ? '18' : '12');
  }

  #lane(id: LaneId): Lane {
    const lane = this.#lanes.get(id);
    if (lane === undefined) throw new Error(`There is no lane "${id}"`);
    return lane;
  }
}

/** The name of a lane, and the place for its count. */
function labelled(parent: SVGGElement, title: string, y: number): SVGTSpanElement {
  const label = svg('text', { class: 'label', x: 8, y });
  const count = svg('tspan', { class: 'count', dx: 7 });
  label.append(title);
  if (title.endsWith('$')) label.append(count);
  parent.append(label);
  return count;
}

function write(element: SVGTSpanElement | undefined, count: number): void {
  const text = count.toLocaleString('en');
  if (element !== undefined && element.textContent !== text) element.textContent = text;
}
