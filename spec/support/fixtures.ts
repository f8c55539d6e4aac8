// The HTTP fixture servers, for specs that run in Node and in the browser. See servers/ for what each one does.
import type { RecordedRequest } from './servers/raw-http.mjs';
import type { FixtureUrls } from './servers/start.mjs';

export type { FixtureUrls, RecordedRequest };

interface KarmaPage {
  readonly __karma__?: { readonly config: { readonly fixtures: FixtureUrls } };
}

export const inBrowser = '__karma__' in globalThis;

/** The URLs of all servers. In Node the first call starts them, for the whole run; in the browser Karma has done so. */
export async function fixtureUrls(): Promise<FixtureUrls> {
  const karma = (globalThis as KarmaPage).__karma__;
  if (karma) return karma.config.fixtures;
  const { sharedServers } = await import('./shared-servers.ts');
  return (await sharedServers()).urls;
}

export interface RawFixture {
  /** Where the scenario listens, for this run only. */
  readonly url: string;
  /** Everything it has received in this run, in order, preflights left out. */
  requests(): Promise<RecordedRequest[]>;
}

let runs = 0;

/** A scenario of `servers/raw-http/`, with a run of its own, so that specs do not see each other's requests. */
export async function rawHttp(scenario: string, query: Record<string, string | number> = {}): Promise<RawFixture> {
  const { raw } = await fixtureUrls();
  const run = `${Math.random().toString(36).slice(2)}-${++runs}`;
  const parameters = new URLSearchParams({ run });
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return {
    url: `${raw}/${scenario}?${parameters}`,
    async requests() {
      const response = await fetch(`${raw}/${scenario}/requests?run=${run}`);
      return (await response.json()) as RecordedRequest[];
    },
  };
}
