import { QueueFullError } from '../errors.js';
import { isSame, type JsonRpcMessage, type RequestId } from '../wire/message.js';

/** One message that waits, as the text that is sent. */
export interface Queued {
  readonly message: JsonRpcMessage;
  readonly text: string;
  readonly bytes: number;
}

/** How much may wait when nobody says otherwise, in bytes. */
export const DEFAULT_MAX_QUEUED_BYTES = 67_108_864;

/** What waits to be sent over a raw channel: in order, and bounded in bytes. */
export class SendQueue {
  readonly #maxBytes: number;
  #waiting: Queued[] = [];
  #bytes = 0;

  /** @param maxBytes - Most that waits. */
  constructor(maxBytes = DEFAULT_MAX_QUEUED_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get waiting(): readonly Queued[] {
    return this.#waiting;
  }

  /** How many bytes wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns why there is no room for it, if there is none. */
  add(queued: Queued): QueueFullError | undefined {
    if (this.#bytes + queued.bytes > this.#maxBytes) return new QueueFullError(this.#maxBytes, 'bytes', 'maxQueuedBytes');
    this.#waiting.push(queued);
    this.#bytes += queued.bytes;
    return undefined;
  }

  /** Takes what is to be sent now off the front. */
  take(count: number): readonly Queued[] {
    const taken = this.#waiting.splice(0, count);
    for (const { bytes } of taken) this.#bytes -= bytes;
    return taken;
  }

  /** @returns whether the message had left, or is not known here. */
  release(sent: RequestId | JsonRpcMessage): boolean {
    const index = this.#waiting.findIndex(({ message }) => isSame(message, sent));
    if (index === -1) return true;
    for (const { bytes } of this.#waiting.splice(index, 1)) this.#bytes -= bytes;
    return false;
  }

  clear(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }
}
