/** Free space to the right of now, in pixels. */
export const RIGHT_PX = 28;
/** How wide a column of marks is, in pixels. */
export const COLUMN_PX = 18;
/** What the zoom offers, in seconds for the whole width. */
export const ZOOMS = [1, 2, 5, 10, 20, 30, 60, 120, 300] as const;

/** Which part of time is in sight. */
export class View {
  widthPx = 800;
  seconds = 10;
  /** The moment at the right, in milliseconds; undefined: now. */
  heldMs: number | undefined;

  get pxPerMs(): number {
    return this.widthPx / (this.seconds * 1_000);
  }

  get columnMs(): number {
    return COLUMN_PX / this.pxPerMs;
  }

  endMs(nowMs: number): number {
    return this.heldMs ?? nowMs;
  }

  startMs(nowMs: number): number {
    return this.endMs(nowMs) - (this.widthPx - RIGHT_PX) / this.pxPerMs;
  }

  x(ms: number): number {
    return ms * this.pxPerMs;
  }
}
