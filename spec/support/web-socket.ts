// WebSockets for specs that run in Node and in the browser.
import type { WebSocketConfig, WebSocketConstructor } from '../../lib/transport/web-socket.ts';
import { fixtureUrls, inBrowser } from './fixtures.ts';

/** Where pages of these specs say they are from, in Node. */
export const ORIGIN = 'http://localhost:4200';

/** A class for the configuration: in Node one that says an Origin, as pages do; browsers have their own. */
export async function webSocketCtor(origin = ORIGIN): Promise<WebSocketConstructor | undefined> {
  if (inBrowser) return undefined;
  const { WebSocket } = await import('ws');
  return class extends WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols, { origin });
    }
  };
}

/** A server of `servers/web-socket.mjs`. */
export async function webSocketConfig(path: string, more: Partial<WebSocketConfig> = {}): Promise<WebSocketConfig> {
  const { webSocket } = await fixtureUrls();
  return { type: 'websocket', url: `${webSocket.replace('http', 'ws')}/${path}`, WebSocketCtor: await webSocketCtor(), ...more };
}

interface Place {
  readonly url: string;
  readonly ticket: string;
}

/** A server of `servers/bridge.mjs`, reached as a page would: each connection asks for a ticket. */
export async function bridgeConfig(name: string): Promise<WebSocketConfig> {
  const { bridge } = await fixtureUrls();
  const place = async (): Promise<Place> => (await (await fetch(`${bridge}/${name}`)).json()) as Place;
  const { url } = await place();
  return { type: 'websocket', url, protocols: () => place().then(({ ticket }) => [ticket]), WebSocketCtor: await webSocketCtor() };
}

/** How connections to it have ended so far. */
export async function bridgeEnds(name: string): Promise<{ code: number; reason: string }[]> {
  const { bridge } = await fixtureUrls();
  return (await (await fetch(`${bridge}/${name}/ended`)).json()) as { code: number; reason: string }[];
}
