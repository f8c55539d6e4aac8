import { laneY } from './geometry.ts';
import { isNumber, type Bucket, type Lane } from './lanes.ts';
import { pill, SHAPES, shortCount } from './shapes.ts';
import { px, svg } from './svg.ts';
import { COLUMN_PX, type View } from './view.ts';

interface Drawn {
  readonly group: SVGGElement;
  readonly shape: SVGPathElement;
  text: SVGTextElement | undefined;
  count: number;
}

/** The marks of one lane that are in sight: added and dropped at the edges, and changed where their bucket has. */
export class MarkLayer {
  readonly #lane: Lane;
  readonly #y: number;
  readonly #parent: SVGGElement;
  readonly #drawn = new Map<Bucket, Drawn>();

  constructor(lane: Lane, index: number, parent: SVGGElement) {
    this.#lane = lane;
    this.#y = laneY(index);
    this.#parent = parent;
  }

  get size(): number {
    return this.#drawn.size;
  }

  frame(view: View, fromMs: number, toMs: number): void {
    const [from, to] = [Math.floor(fromMs / view.columnMs) - 1, Math.floor(toMs / view.columnMs) + 1];
    const visible = this.#lane.between(from, to);
    const [first, last] = [visible[0], visible.at(-1)];
    for (const [bucket, { group }] of this.#drawn) {
      if (first !== undefined && last !== undefined && bucket.column >= first.column && bucket.column <= last.column) continue;
      group.remove();
      this.#drawn.delete(bucket);
    }
    for (const bucket of visible) this.#show(bucket, view);
  }

  clear(): void {
    for (const { group } of this.#drawn.values()) group.remove();
    this.#drawn.clear();
  }

  #show(bucket: Bucket, view: View): void {
    const drawn = this.#drawn.get(bucket) ?? this.#append(bucket);
    if (drawn.count === bucket.count) return;
    const { group, shape } = drawn;
    drawn.count = bucket.count;
    const isMany = isNumber(bucket);
    group.setAttribute('class', `mark k-${bucket.kind}${isMany ? ' many' : ''}`);
    group.setAttribute('transform', `translate(${px(xOf(bucket, view))} ${this.#y})`);
    shape.setAttribute('d', isMany ? pill(bucket.count) : SHAPES[bucket.kind]);
    if (!isMany) {
      drawn.text?.remove();
      drawn.text = undefined;
      return;
    }
    drawn.text ??= group.appendChild(svg('text', { y: 3 }));
    drawn.text.textContent = shortCount(bucket.count);
  }

  #append(bucket: Bucket): Drawn {
    const group = this.#parent.appendChild(svg('g'));
    const drawn: Drawn = { group, shape: group.appendChild(svg('path')), text: undefined, count: 0 };
    this.#drawn.set(bucket, drawn);
    return drawn;
  }
}

/** One mark stands where it belongs, several in the middle of their column. */
export const xOf = (bucket: Bucket, view: View): number => (isNumber(bucket) ? (bucket.column + 0.5) * COLUMN_PX : view.x(bucket.ms));
