/** A server that the page can connect to. */
export interface Offer {
  readonly name: string;
  readonly about: string;
  /** `bridge`: a WebSocket that wants a ticket of this page's own server. */
  readonly type: 'http' | 'websocket' | 'bridge';
  readonly url: string;
}
