import { expect } from 'chai';
import { createClient } from '../../lib/index.ts';
import { fixtureUrls, type FixtureUrls } from '../support/fixtures.ts';
import { scripted } from '../support/http.ts';
import { until } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';
import { liveClients, showsChanges } from './live-views.ts';

const over = (name: keyof FixtureUrls): Parameters<typeof liveClients>[0] => async (options) => createClient({ type: 'http', url: (await fixtureUrls())[name] }, options);

const result = (value: object) => JSON.stringify({ jsonrpc: '2.0', id: '$id', result: value });
const notification = (method: string, params: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': '$id' } } })}\n\n`;
const acknowledged = notification('notifications/subscriptions/acknowledged', { notifications: { toolsListChanged: true } });
const changed = notification('notifications/tools/list_changed', {});

/** Time passes: what was sent just before a connection breaks may never be read. */
const quiet = Array.from({ length: 100 }, () => ': quiet\n\n');

const modernRules = [
  { on: 'server/discover', body: result({ supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } }) },
  { on: 'tools/list', times: 1, body: result({ tools: [{ name: 'old' }] }) },
  { on: 'tools/list', body: result({ tools: [{ name: 'new' }] }) },
];

describe('live views over HTTP', function () {
  this.timeout(20_000);

  describe('legacy', () => {
    showsChanges(over('legacy'), 'legacy');
  });
  describe('modern', () => {
    showsChanges(over('modern'), 'modern');
  });

  describe('the stream of a modern subscription', () => {
    let url = '';
    const ready = liveClients((options) => createClient({ type: 'http', url }, options));

    it('is closed at the server when the last one leaves', async () => {
      const fixture = await scripted(...modernRules, { on: 'subscriptions/listen', sse: [acknowledged, changed], hang: true });
      ({ url } = fixture);
      const { client, passed } = await ready();
      const listening = async () => (await fixture.requests()).filter(({ body }) => body?.method === 'subscriptions/listen').map(({ aborted }) => aborted);
      const seen = record(client.tools$);
      const other = record(client.tools$);
      await until(() => seen.values.length === 2);
      expect(seen.values.map(([tool]) => tool?.name)).to.deep.equal(['old', 'new']);
      seen.unsubscribe();
      expect(await listening()).to.deep.equal([false]);
      other.unsubscribe();
      await until(async () => (await listening())[0]);
      expect(await listening()).to.deep.equal([true]);
      expect(passed('notifications/cancelled'), 'closing is enough there').to.deep.equal([]);
      expect(client.connected).to.equal(true);
    });

    for (const [how, end] of [
      ['ends', {}],
      ['breaks', { reset: true }],
    ] as const) {
      it(`is opened again after it ${how} without a result, and the list fetched again [B69]`, async () => {
        const fixture = await scripted(
          ...modernRules,
          { on: 'subscriptions/listen', times: 1, sse: [acknowledged, ...quiet], ...end },
          { on: 'subscriptions/listen', sse: [acknowledged], hang: true },
        );
        ({ url } = fixture);
        const { client, passed } = await ready();
        const seen = record(client.tools$);
        await until(() => seen.values.length === 2);
        expect(passed('subscriptions/listen')).to.have.length(2);
        expect(seen.times[1]! - seen.times[0]!).to.be.above(800);
        expect(seen.errors).to.deep.equal([]);
        seen.unsubscribe();
      });
    }

    it('is not opened again after a result [B69]', async () => {
      const fixture = await scripted(...modernRules, { on: 'subscriptions/listen', sse: [acknowledged, `data: ${result({ resultType: 'complete' })}\n\n`] });
      ({ url } = fixture);
      const { client, passed } = await ready();
      const seen = record(client.tools$);
      await until(() => seen.values.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 1_300));
      expect(passed('subscriptions/listen')).to.have.length(1);
      expect(seen).to.deep.include({ errors: [], completed: 0 });
      seen.unsubscribe();
    });

    it('may fail once with 500: it is tried again [B69]', async () => {
      const fixture = await scripted(
        ...modernRules,
        { on: 'subscriptions/listen', times: 1, status: 500, body: 'Internal Server Error' },
        { on: 'subscriptions/listen', sse: [acknowledged], hang: true },
      );
      ({ url } = fixture);
      const { client, passed } = await ready();
      const seen = record(client.tools$);
      await until(() => passed('subscriptions/listen').length === 2);
      await until(() => seen.values.length === 1);
      expect(seen.errors).to.deep.equal([]);
      seen.unsubscribe();
    });
  });
});
