import { defer, from, of, tap, type Observable } from 'rxjs';

/**
 * A module that is imported when it is first needed, so that nobody else waits
 * for it, and bundlers can put it into a file of its own.
 */
export class LazyModule<T> {
  readonly #load: () => Promise<T>;
  #module: T | undefined;

  /** @param load - Imports it. */
  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** Emits it once: at the moment of subscribing where it is there already, as after the first time. */
  readonly module$: Observable<T> = defer(() =>
    this.#module === undefined
      ? from(this.#load()).pipe(
          tap((module) => {
            this.provide(module);
          }),
        )
      : of(this.#module),
  );

  /** Has it from now on. For the testing door: under virtual time nothing is imported. */
  provide(module: T): void {
    this.#module = module;
  }
}
