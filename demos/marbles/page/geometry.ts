import { LANES } from './lanes.ts';
import { ROWS } from './requests.ts';

export const AXIS_PX = 22;
export const LANE_PX = 43;
/** Where the line of a lane is, below its top. */
const LINE_PX = 29;
/** Room for the heading of the requests. */
const HEADING_PX = 14;
const STREAMS = LANES.length - ROWS;

export const HEIGHT_PX = AXIS_PX + LANES.length * LANE_PX + HEADING_PX + 4;

const topOf = (index: number): number => AXIS_PX + index * LANE_PX + (index >= STREAMS ? HEADING_PX : 0);

export const laneY = (index: number): number => topOf(index) + LINE_PX;

/** Where the name of a lane stands. */
export const labelY = (index: number): number => topOf(index) + (index === STREAMS ? 4 : LINE_PX - 15);

/** Which lane is at this height. */
export const laneAt = (y: number): number => Math.max(0, LANES.findLastIndex((_, index) => topOf(index) <= y));
