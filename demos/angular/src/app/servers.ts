import { from, type Observable } from 'rxjs';
import type { ServerEntry, TransportConfig } from 'rxjs-mcp';

/** What the page's server says of each MCP server. */
interface Listed {
  readonly name: string;
  readonly title: string;
  readonly type: 'http' | 'websocket';
  readonly url: string;
}

const json = async <T>(response: Promise<Response>): Promise<T> => (await (await response).json()) as T;

/** A bridge wants a new ticket for each connection. */
const ticket = async () => [(await json<{ ticket: string }>(fetch('/ticket', { method: 'POST' }))).ticket];

/** The servers of the workbench, as the page's own server knows them. */
export function servers(): Observable<readonly ServerEntry[]> {
  const entry = ({ name, title, type, url }: Listed): ServerEntry<TransportConfig> => ({
    name,
    title,
    config: type === 'http' ? { type, url } : { type, url, protocols: ticket },
  });
  return from(json<Listed[]>(fetch('/servers')).then((listed) => listed.map(entry)));
}
