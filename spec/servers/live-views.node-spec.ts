import { expect } from 'chai';
import { firstValueFrom } from 'rxjs';
import { createClient } from '../../lib/node.ts';
import { stdioServer } from '../support/node-fixtures.ts';
import { outcome, until } from '../support/outcome.ts';
import { pidsOf, watchChildren } from '../support/stdio.ts';
import { record } from '../support/test-scheduler.ts';
import { liveClients, showsChanges } from './live-views.ts';

const over = (name: Parameters<typeof stdioServer>[0]): Parameters<typeof liveClients>[0] => (options) => createClient(stdioServer(name), options);

describe('live views over stdio', function () {
  this.timeout(20_000);

  describe('legacy', () => {
    showsChanges(over('legacy'), 'legacy');
  });
  describe('modern', () => {
    showsChanges(over('modern'), 'modern');

    describe('its subscription', () => {
      const ready = liveClients(over('modern'));

      it('is cancelled when the last one leaves', async () => {
        const { client, passed } = await ready();
        const seen = record(client.tools$);
        await until(() => seen.values.length > 0);
        seen.unsubscribe();
        const [{ id }] = passed('subscriptions/listen');
        expect(passed('notifications/cancelled').map(({ params }) => params.requestId)).to.deep.equal([id]);
      });
    });
  });

  for (const name of ['legacy', 'modern'] as const) {
    describe(`${name}, killed`, () => {
      const children = watchChildren();
      const ready = liveClients(over(name));

      it('is no error: connect() begins again', async () => {
        const { client, passed } = await ready();
        const seen = record(client.tools$);
        await until(() => seen.values.length > 0);
        const asked = passed('tools/list').length;
        process.kill(pidsOf(children())[0]!, 'SIGKILL');
        await until(() => !client.connected);
        expect((await outcome(client.connect())).error).to.equal(undefined);
        await until(() => passed('tools/list').length === 2 * asked);
        expect(seen).to.deep.include({ errors: [], completed: 0 });
        expect(seen.values).to.have.length(1);
        seen.unsubscribe();
      });
    });
  }

  describe('everything', () => {
    const ready = liveClients(over('everything'));
    const uri = 'demo://resource/dynamic/text/1';

    it('a resource is watched before it is read, read again when it is updated, and not watched any more at the end', async () => {
      const { client, passed } = await ready();
      const updates = record(client.notifications$);
      const seen = record(client.resource$(uri));
      await until(() => seen.values.length > 0);
      expect(seen.values[0]?.contents[0]).to.have.property('uri', uri);
      expect(passed('resources/subscribe').map(({ params }) => params)).to.deep.equal([{ uri }]);
      const toggled = await outcome(client.callTool('toggle-subscriber-updates'));
      expect(toggled.error).to.equal(undefined);
      await until(() => passed('resources/read').length > 1);
      expect(updates.values.filter(({ method }) => method === 'notifications/resources/updated')).to.have.length.above(0);
      expect(seen.errors).to.deep.equal([]);
      seen.unsubscribe();
      await until(() => passed('resources/unsubscribe').length === 1);
      expect(passed('resources/unsubscribe')[0].params).to.deep.equal({ uri });
    });

    it('shows prompts, resources and templates', async () => {
      const { client } = await ready();
      const [prompts, resources, templates] = await Promise.all([firstValueFrom(client.prompts$), firstValueFrom(client.resources$), firstValueFrom(client.resourceTemplates$)]);
      expect(prompts).to.have.length.above(0);
      expect(resources).to.have.length.above(0);
      expect(templates.map(({ uriTemplate }) => uriTemplate)).to.include('demo://resource/dynamic/text/{resourceId}');
    });
  });
});
