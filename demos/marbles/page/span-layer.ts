import { laneY } from './geometry.ts';
import { LANES } from './lanes.ts';
import type { Requests, TrackedRequest } from './requests.ts';
import { px, svg } from './svg.ts';
import type { View } from './view.ts';

/** How far apart the names in one row are at least, in pixels. */
const NAME_PX = 112;
const NAME_LENGTH = 18;

interface Drawn {
  readonly line: SVGLineElement;
  readonly name: SVGTextElement | undefined;
  ended: boolean;
}

/** A line for each request in sight, from when it was sent to when it ended. */
export class SpanLayer {
  readonly #requests: Requests;
  readonly #parent: SVGGElement;
  readonly #drawn = new Map<TrackedRequest, Drawn>();

  constructor(requests: Requests, parent: SVGGElement) {
    this.#requests = requests;
    this.#parent = parent;
  }

  frame(view: View, fromMs: number, toMs: number, nowMs: number): void {
    const named = new Map<string, number>();
    const seen = new Set<TrackedRequest>();
    for (const request of this.#requests.all) {
      const { startMs, endMs = nowMs, lane } = request;
      const x = view.x(startMs);
      const hasRoom = x - (named.get(lane) ?? -Infinity) >= NAME_PX;
      if (hasRoom) named.set(lane, x);
      if (endMs + NAME_PX / view.pxPerMs < fromMs || startMs > toMs) continue;
      seen.add(request);
      const drawn = this.#drawn.get(request) ?? this.#append(request, x, hasRoom);
      if (drawn.ended) continue;
      drawn.line.setAttribute('x2', px(view.x(endMs)));
      drawn.ended = request.ending !== undefined;
      if (drawn.ended) drawn.line.setAttribute('class', `span k-${request.ending ?? ''}`);
    }
    for (const [request, { line, name }] of this.#drawn) {
      if (seen.has(request)) continue;
      line.remove();
      name?.remove();
      this.#drawn.delete(request);
    }
  }

  clear(): void {
    for (const { line, name } of this.#drawn.values()) {
      line.remove();
      name?.remove();
    }
    this.#drawn.clear();
  }

  #append(request: TrackedRequest, x: number, hasRoom: boolean): Drawn {
    const { lane, title } = request;
    const y = laneY(LANES.findIndex(({ id }) => id === lane));
    const line = this.#parent.appendChild(svg('line', { class: 'span', x1: px(x), x2: px(x), y1: y, y2: y }));
    const name = hasRoom ? this.#parent.appendChild(svg('text', { class: 'name', x: px(x - 4), y: y - 13 })) : undefined;
    if (name !== undefined) name.textContent = title.length > NAME_LENGTH ? `${title.slice(0, NAME_LENGTH - 1)}…` : title;
    const drawn: Drawn = { line, name, ended: false };
    this.#drawn.set(request, drawn);
    return drawn;
  }
}
