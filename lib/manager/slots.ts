import { defer, Observable, type Subscription } from 'rxjs';

/** Lets so many pieces of work run at once; the others wait their turn. */
export class Slots {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(max: number) {
    this.#free = max;
  }

  /** Runs work when there is room. @param onWait - Told when it has to wait. */
  run<T>(work$: Observable<T>, onWait?: () => void): Observable<T> {
    return new Observable((subscriber) => {
      let running: Subscription | undefined;
      const begin = () => {
        this.#free--;
        running = defer(() => work$).subscribe(subscriber);
        subscriber.add(running);
      };
      const leave = () => {
        if (this.#waiting.delete(begin) || running === undefined) return;
        this.#free++;
        const [next] = this.#waiting;
        if (next === undefined) return;
        this.#waiting.delete(next);
        next();
      };
      subscriber.add(leave);
      if (this.#free > 0) begin();
      else {
        this.#waiting.add(begin);
        onWait?.();
      }
    });
  }
}
