import type { Kind } from './happening.ts';

const circle = (r: number): string => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

/** Outlines around 0,0. */
export const SHAPES: Readonly<Record<Kind, string>> = {
  notification: circle(5),
  progress: 'M-1.5-6.5h3v13h-3z',
  sent: circle(4.5),
  asked: 'M-6-5.5L6 0L-6 5.5z',
  state: 'M0-7L7 0L0 7L-7 0z',
  result: circle(6.5),
  error: 'M-5.5-5.5L5.5 5.5M5.5-5.5L-5.5 5.5',
  cancelled: `${circle(6)}M-4.2 4.2L4.2-4.2`,
  timeout: `${circle(6)}M0-3.8V0H3`,
};

const PILL_PX = 17;

/** The outline of several marks as one: the more, the higher. */
export function pill(count: number): string {
  const height = Math.min(30, 14 + 5.5 * Math.log10(count));
  const side = (height - PILL_PX / 2).toFixed(1);
  const r = PILL_PX / 4;
  return `M${-PILL_PX / 2} ${(-height / 2 + r).toFixed(1)}a${r} ${r} 0 0 1 ${r} ${-r}h${PILL_PX / 2}a${r} ${r} 0 0 1 ${r} ${r}v${side}a${r} ${r} 0 0 1 ${-r} ${r}h${-PILL_PX / 2}a${r} ${r} 0 0 1 ${-r} ${-r}z`;
}

export const shortCount = (count: number): string => (count < 1_000 ? String(count) : `${Math.floor(count / 1_000)}k`);
