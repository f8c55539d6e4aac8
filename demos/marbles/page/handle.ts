import type { FrameFigures } from './frames.ts';

/** `window.marbles`: what the page measures of itself. */
export interface MarblesHandle {
  /** The times between frames since the last `reset()`. */
  readonly frames: FrameFigures;
  readonly counters: {
    /** All that happened, whether it is still kept or not. */
    readonly received: number;
    /** How many of these were in the diagram when it was last drawn. */
    readonly drawn: number;
    /** How many are kept. */
    readonly retained: number;
    /** Messages, and notifications among them. */
    readonly in: number;
    readonly out: number;
    readonly notifications: number;
    /** Marks in the page now. */
    readonly elements: number;
  };
  /** Measures anew. */
  reset(): void;
  /** Prints the figures to the console. */
  report(): void;
}

declare global {
  var marbles: MarblesHandle;
}
