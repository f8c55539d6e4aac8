import { Subject } from 'rxjs';

/**
 * Takes messages from any source: that the source ends, well or not, is not
 * the end of the connection. Its owner gets each message first, straight: there
 * are two of these on the way of every message.
 */
// eslint-disable-next-line rxjs-x/no-subclass -- to those who subscribe it is a Subject like any other
export class OutboundSubject<T> extends Subject<T> {
  readonly #take: (message: T) => void;

  constructor(take: (message: T) => void) {
    super();
    this.#take = take;
  }

  override next(message: T): void {
    this.#take(message);
    if (this.observed) super.next(message);
  }

  override error(): void {
    // the source's own affair
  }

  override complete(): void {
    // others may still send
  }
}
