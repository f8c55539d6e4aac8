import { byId, clicks } from './dom.ts';
import type { Happening } from './happening.ts';

const WORDS = { in: 'received', out: 'sent', local: 'here', end: 'ended by the server' } as const;

/** Shows the message behind a mark; where there are several, one after another. */
export class Panel {
  readonly #title = byId('message-title');
  readonly #facts = byId('message-facts');
  readonly #json = byId('message-json');
  readonly #pager = byId('pager');
  readonly #pin = byId('pinned');
  #happenings: readonly Happening[] = [];
  #index = 0;
  #isPinned = false;

  constructor() {
    clicks('previous').subscribe(() => this.#turn(-1));
    clicks('next').subscribe(() => this.#turn(1));
    this.show([]);
  }

  get isPinned(): boolean {
    return this.#isPinned;
  }

  /** @param first - The place of the one to begin with. */
  show(happenings: readonly Happening[], first?: number): void {
    this.#happenings = happenings;
    this.#index = Math.max(0, happenings.findIndex(({ place }) => place === first));
    this.#write();
  }

  pin(isPinned: boolean): void {
    this.#isPinned = isPinned;
    this.#pin.hidden = !isPinned;
  }

  #turn(by: number): void {
    this.#index = Math.min(this.#happenings.length - 1, Math.max(0, this.#index + by));
    this.#write();
  }

  #write(): void {
    const happening = this.#happenings[this.#index];
    this.#pager.hidden = this.#happenings.length < 2;
    byId('page').textContent = `${this.#index + 1} of ${this.#happenings.length}`;
    this.#title.textContent = happening?.title ?? 'Nothing chosen';
    this.#facts.textContent = happening === undefined ? 'Point at a mark, or go to the diagram with Tab and use the arrow keys.' : `${WORDS[happening.direction]} at ${(happening.ms / 1_000).toFixed(3)} s`;
    this.#json.textContent = happening === undefined ? '' : JSON.stringify(happening.content, null, 2);
    this.#json.hidden = happening === undefined;
  }
}
