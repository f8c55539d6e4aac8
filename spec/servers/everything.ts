// Everything that the official reference server has, over whatever transport; and that nothing of it is left out.
import { expect } from 'chai';
import { filter, take } from 'rxjs';
import { RpcError, type LoggingMessageParams } from '../../lib/index.ts';
import { errorOf, outcome, until } from '../support/outcome.ts';
import { record } from '../support/test-scheduler.ts';
import { Everything, textOf, valueOf, type OpenEverything } from './everything-client.ts';

const PNG = 'iVBORw0KGgo';
const TEXT = 'demo://resource/dynamic/text/';
const BLOB = 'demo://resource/dynamic/blob/';

async function gunzipped(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

/** Declares the suite; call it inside a `describe`. The specs share one session, and the last one asks what they left out. */
export function offersEverything(open: OpenEverything): void {
  const everything = new Everything(open);
  const call = everything.call.bind(everything);
  const ended: string[] = [];
  afterEach(function () {
    if (this.currentTest?.isPassed()) ended.push(this.currentTest.title);
  });

  it('says who it is and what it can do', () => {
    const { client } = everything;
    expect(client.serverInfo).to.deep.include({ name: 'mcp-servers/everything', title: 'Everything Reference Server' });
    expect(client.capabilities).to.deep.include({ tools: { listChanged: true }, prompts: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {}, completions: {} });
    expect(client.instructions).to.match(/\w/);
  });

  it('answers a ping', async () => {
    expect(await outcome(everything.client.ping())).to.deep.equal({ values: [], error: undefined });
  });

  describe('tools', () => {
    it('describe themselves', async () => {
      const tools = await valueOf(everything.client.listTools());
      const echo = tools.find(({ name }) => name === 'echo');
      expect(echo).to.deep.include({ title: 'Echo Tool', description: 'Echoes back the input string' });
      expect(echo?.annotations).to.deep.equal({ readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false });
      expect(echo?.inputSchema).to.deep.include({ type: 'object', required: ['message'] });
      expect(tools.find(({ name }) => name === 'get-structured-content')?.outputSchema).to.have.nested.property('properties.humidity.type', 'number');
      expect(tools.find(({ name }) => name === 'simulate-research-query')?.execution).to.deep.equal({ taskSupport: 'required' });
    });

    it('get-sum and echo', async () => {
      expect(textOf(await call('echo', { message: 'é漢🦀\n"' }))).to.equal('Echo: é漢🦀\n"');
      expect(textOf(await call('get-sum', { a: 2, b: 0.5 }))).to.equal('The sum of 2 and 0.5 is 2.5.');
    });

    it('say what is wrong with their arguments, and that there is no such tool', async () => {
      const wrong = await call('get-sum', { a: 'two' });
      expect(wrong.isError).to.equal(true);
      expect(textOf(wrong)).to.include('-32602');
      const none = await call('no-such-tool');
      expect(none.isError).to.equal(true);
      expect(textOf(none)).to.include('no-such-tool');
    });

    for (const [messageType, text, annotations] of [
      ['error', 'Error: Operation failed', { priority: 1, audience: ['user', 'assistant'] }],
      ['success', 'Operation completed successfully', { priority: 0.7, audience: ['user'] }],
      ['debug', 'Debug: Cache hit ratio 0.95, latency 150ms', { priority: 0.3, audience: ['assistant'] }],
    ] as const) {
      it(`get-annotated-message, ${messageType}`, async () => {
        const { content } = await call('get-annotated-message', { messageType, includeImage: messageType !== 'debug' });
        expect(content[0]).to.deep.equal({ type: 'text', text, annotations });
        expect(content).to.have.length(messageType === 'debug' ? 1 : 2);
        if (messageType !== 'debug') {
          expect(content[1]).to.deep.include({ type: 'image', mimeType: 'image/png', annotations: { priority: 0.5, audience: ['user'] } });
        }
      });
    }

    it('get-tiny-image', async () => {
      const { content } = await call('get-tiny-image');
      expect(content.map(({ type }) => type)).to.deep.equal(['text', 'image', 'text']);
      expect(content[1]).to.have.property('mimeType', 'image/png');
      expect(content[1]).to.have.property('data').that.satisfies((data: string) => data.startsWith(PNG));
    });

    it('get-env', async () => {
      expect(JSON.parse(textOf(await call('get-env')))).to.have.property('PATH').that.is.a('string');
    });

    it('get-structured-content, as its schema says', async () => {
      const problems = record(everything.client.outputProblems$);
      for (const [location, conditions] of [['New York', 'Cloudy'], ['Chicago', 'Light rain / drizzle'], ['Los Angeles', 'Sunny / Clear']]) {
        const result = await call('get-structured-content', { location });
        expect(result.structuredContent).to.have.property('conditions', conditions);
        expect(JSON.parse(textOf(result))).to.deep.equal(result.structuredContent);
      }
      expect(problems.values).to.deep.equal([]);
      problems.unsubscribe();
    });

    it('get-resource-links, whose links lead to resources', async () => {
      const { content } = await call('get-resource-links', { count: 4 });
      const links = content.flatMap((block) => (block.type === 'resource_link' ? [block] : []));
      expect(links.map(({ uri }) => uri)).to.deep.equal([`${BLOB}1`, `${TEXT}2`, `${BLOB}3`, `${TEXT}4`]);
      expect(links[0]).to.deep.include({ name: 'Blob Resource 1', mimeType: 'text/plain' });
      const { contents } = await valueOf(everything.client.readResource(links[1]!.uri));
      expect(contents[0]).to.have.property('text').that.includes('Resource 2');
      expect((await call('get-resource-links', { count: 11 })).isError).to.equal(true);
    });

    it('get-resource-reference, text and blob', async () => {
      const resourceOf = async (resourceType: string) => (await call('get-resource-reference', { resourceType, resourceId: 7 })).content[1];
      expect(await resourceOf('Text')).to.have.property('resource').that.deep.includes({ uri: `${TEXT}7`, mimeType: 'text/plain' });
      const blob = await resourceOf('Blob');
      expect(blob).to.have.nested.property('resource.uri', `${BLOB}7`);
      expect(blob).to.have.nested.property('resource.blob').that.satisfies((data: string) => atob(data).startsWith('Resource 7'));
      expect((await call('get-resource-reference', { resourceId: -1 })).isError).to.equal(true);
    });

    it('gzip-file-as-resource, inside the result and behind a link that is listed from then on', async () => {
      const name = `${Math.random()}.gz`;
      const data = `data:text/plain;base64,${btoa('some text '.repeat(100))}`;
      const { content } = await call('gzip-file-as-resource', { name: `inside-${name}`, data, outputType: 'resource' });
      expect(content[0]).to.have.nested.property('resource.mimeType', 'application/gzip');
      expect(await gunzipped((content[0] as { resource: { blob: string } }).resource.blob)).to.equal('some text '.repeat(100));

      const [link] = (await call('gzip-file-as-resource', { name, data, outputType: 'resourceLink' })).content;
      expect(link).to.deep.equal({ type: 'resource_link', uri: `demo://resource/session/${name}`, name, mimeType: 'application/gzip' });
      const { uri } = link as { uri: string };
      const { contents } = await valueOf(everything.client.readResource(uri));
      expect(await gunzipped((contents[0] as { blob: string }).blob)).to.equal('some text '.repeat(100));
      expect((await valueOf(everything.client.listResources())).map((resource) => resource.uri)).to.include(uri);
      await until(() => everything.notified('notifications/resources/list_changed').length > 0);
    });

    it('trigger-long-running-operation, with progress', async () => {
      const { values, error } = await outcome(everything.client.callTool('trigger-long-running-operation', { duration: 0.3, steps: 3 }, { observe: 'events' }));
      expect(error).to.equal(undefined);
      const progress = values.flatMap((event) => (event.type === 'progress' ? [event.progress] : []));
      expect(progress.map(({ progress: done, total }) => [done, total])).to.deep.equal([[1, 3], [2, 3], [3, 3]]);
      expect(values.at(-1)).to.have.nested.property('result.content[0].text', 'Long running operation completed. Duration: 0.3 seconds, Steps: 3.');
    });

    it('trigger-long-running-operation, cancelled half-way [R43]', async () => {
      const before = everything.messages('out', 'notifications/cancelled').length;
      const events$ = everything.client.callTool('trigger-long-running-operation', { duration: 0.4, steps: 8 }, { observe: 'events' });
      const { values } = await outcome(events$.pipe(filter(({ type }) => type === 'progress'), take(2)));
      expect(values).to.have.length(2);
      const sent = everything.messages('out', 'tools/call').at(-1);
      expect(everything.messages('out', 'notifications/cancelled').slice(before).map(({ params }) => params.requestId)).to.deep.equal([sent.id]);

      const abort = new AbortController();
      const options = { signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) };
      expect(String(await errorOf(everything.client.callTool('trigger-long-running-operation', { duration: 0.4, steps: 8 }, options)))).to.equal('Error: enough');
      expect(textOf(await call('echo', { message: 'still here' }))).to.equal('Echo: still here');
      // This one ends after those that were cancelled: their answers would have come before.
      await call('trigger-long-running-operation', { duration: 0.4, steps: 1 });
      expect(everything.wire.filter(({ direction, message }) => direction === 'in' && !('method' in message) && message.id === sent.id)).to.deep.equal([]);
    });

    it('simulate-research-query, as a task by plain requests', async () => {
      const { client } = everything;
      const refused = await outcome(client.callTool('simulate-research-query', { topic: 'x' }));
      expect(refused.error ?? refused.values[0]).to.satisfy((end: any) => end.code === -32601 || end.isError === true);
      const params = { name: 'simulate-research-query', arguments: { topic: 'rivers' }, task: { ttl: 60_000 } };
      const { task } = (await valueOf(client.request('tools/call', params))) as unknown as { task: { taskId: string; status: string } };
      expect(task.status).to.equal('working');
      expect(await valueOf(client.request('tasks/get', { taskId: task.taskId }))).to.deep.include({ taskId: task.taskId, status: 'working' });
      expect((await valueOf(client.request('tasks/list'))).tasks.map(({ taskId }) => taskId)).to.include(task.taskId);
      expect(await valueOf(client.request('tasks/cancel', { taskId: task.taskId }))).to.deep.include({ status: 'cancelled' });
    });
  });

  describe('resources', () => {
    it('are listed, and each of them can be read', async () => {
      const resources = await valueOf(everything.client.listResources());
      expect(resources.map(({ name }) => name)).to.include.members(['architecture.md', 'features.md', 'startup.md']);
      for (const { uri, mimeType } of resources.filter((resource) => resource.uri.startsWith('demo://resource/static/'))) {
        const { contents } = await valueOf(everything.client.readResource(uri));
        expect(contents).to.have.length(1);
        expect(contents[0]).to.deep.include({ uri, mimeType });
        expect(contents[0]).to.have.property('text').that.matches(/\w/);
      }
    });

    it('come of templates too, as text and as binary data', async () => {
      const templates = await valueOf(everything.client.listResourceTemplates());
      expect(templates.map(({ uriTemplate }) => uriTemplate)).to.have.members([`${TEXT}{resourceId}`, `${BLOB}{resourceId}`]);
      for (const { uriTemplate } of templates) {
        const uri = uriTemplate.replace('{resourceId}', '42');
        const [content] = (await valueOf(everything.client.readResource(uri))).contents;
        const text = content !== undefined && 'blob' in content ? atob(content.blob) : content?.text;
        expect(text).to.match(uri === `${TEXT}42` ? /^Resource 42: This is a plaintext resource/ : /^Resource 42: This is a base64 blob/);
      }
    });

    it('that there are not are an error of the server', async () => {
      for (const uri of [`${TEXT}x`, 'demo://resource/none']) {
        expect(await errorOf(everything.client.readResource(uri))).to.be.instanceOf(RpcError);
      }
    });

    it('subscribed to are told of when they change, and others are not (toggle-subscriber-updates)', async () => {
      const { client } = everything;
      const [left, kept] = [`${TEXT}101`, `${TEXT}102`];
      for (const uri of [left, kept]) await valueOf(client.request('resources/subscribe', { uri }));
      await valueOf(client.request('resources/unsubscribe', { uri: left }));
      expect(textOf(await call('toggle-subscriber-updates'))).to.match(/^Started/);
      // The server goes through its resources in the order in which they were subscribed to.
      await until(() => everything.notified('notifications/resources/updated').some(({ uri }) => uri === kept));
      expect(everything.notified('notifications/resources/updated').map(({ uri }) => uri)).not.to.include(left);
      expect(textOf(await call('toggle-subscriber-updates'))).to.match(/^Stopped/);
      await valueOf(client.request('resources/unsubscribe', { uri: kept }));
    });
  });

  describe('prompts', () => {
    const messagesOf = async (name: string, args?: Record<string, string>) => (await valueOf(everything.client.getPrompt(name, args))).messages;

    it('describe their arguments', async () => {
      const prompts = await valueOf(everything.client.listPrompts());
      const prompt = prompts.find(({ name }) => name === 'args-prompt');
      expect(prompt).to.have.property('title', 'Arguments Prompt');
      expect(prompt?.arguments?.[0]).to.deep.equal({ name: 'city', description: 'Name of the city', required: true });
      expect(prompt?.arguments?.[1]).to.deep.include({ name: 'state', required: false });
    });

    it('simple-prompt', async () => {
      expect(await messagesOf('simple-prompt')).to.deep.equal([{ role: 'user', content: { type: 'text', text: 'This is a simple prompt without arguments.' } }]);
    });

    it('args-prompt, with and without what is optional', async () => {
      const textFor = async (args: Record<string, string>) => (await messagesOf('args-prompt', args))[0]?.content;
      expect(await textFor({ city: 'Paris' })).to.have.property('text', "What's weather in Paris?");
      expect(await textFor({ city: 'Austin', state: 'Texas' })).to.have.property('text', "What's weather in Austin, Texas?");
      expect(await errorOf(everything.client.getPrompt('args-prompt', { state: 'Texas' }))).to.be.instanceOf(RpcError).with.property('code', -32602);
    });

    it('completable-prompt, whose second argument depends on the first', async () => {
      const complete = async (name: string, value: string, context?: Record<string, string>) => {
        const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
        const { completion } = await valueOf(everything.client.complete({ ref, argument: { name, value }, ...(context && { context: { arguments: context } }) }));
        return completion.values;
      };
      expect(await complete('department', 'S')).to.deep.equal(['Sales', 'Support']);
      expect(await complete('name', '', { department: 'Sales' })).to.deep.equal(['David', 'Eve', 'Frank']);
      expect(await complete('name', 'K', { department: 'Support' })).to.deep.equal(['Kim']);
      expect(await complete('name', 'K')).to.deep.equal([]);
      const [message] = await messagesOf('completable-prompt', { department: 'Support', name: 'Kim' });
      expect(message?.content).to.have.property('text', 'Please promote Kim to the head of the Support team.');
    });

    it('resource-prompt, with a resource inside', async () => {
      const complete = async (name: string, value: string) =>
        (await valueOf(everything.client.complete({ ref: { type: 'ref/prompt', name: 'resource-prompt' }, argument: { name, value } }))).completion.values;
      expect(await complete('resourceType', '')).to.deep.equal(['Text', 'Blob']);
      expect(await complete('resourceId', '3')).to.deep.equal(['3']);
      const messages = await messagesOf('resource-prompt', { resourceType: 'Blob', resourceId: '3' });
      expect(messages[1]?.content).to.have.nested.property('resource.uri', `${BLOB}3`);
    });

    it('complete the variables of resource templates, too', async () => {
      for (const uri of [`${TEXT}{resourceId}`, `${BLOB}{resourceId}`]) {
        const complete = async (value: string) => (await valueOf(everything.client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'resourceId', value } }))).completion.values;
        expect(await complete('12')).to.deep.equal(['12']);
        expect(await complete('x')).to.deep.equal([]);
      }
    });
  });

  describe('what it asks', () => {
    it('a message of a model (trigger-sampling-request)', async () => {
      const text = textOf(await call('trigger-sampling-request', { prompt: 'a haiku', maxTokens: 7 }));
      expect(text).to.include('"model": "spec"').and.include('A haiku');
      expect(everything.prompts.at(-1)).to.deep.include({ maxTokens: 7, systemPrompt: 'You are a helpful test server.', temperature: 0.7 });
      expect(everything.prompts.at(-1)?.messages[0]?.content).to.have.property('text').that.includes('a haiku');
    });

    it('a form, with every kind of field and their defaults (trigger-elicitation-request)', async () => {
      everything.decide = () => ({ action: 'accept', content: { name: 'Ada', check: true } });
      const text = textOf(await call('trigger-elicitation-request'));
      expect(text).to.include('- Name: Ada').and.include('- Favorite Integer: 42');
      const form = everything.forms.at(-1) as { requestedSchema: { properties: object } };
      const raw = JSON.parse(text.slice(text.indexOf('Raw result: ') + 'Raw result: '.length));
      expect(raw).to.deep.equal({
        action: 'accept',
        content: {
          name: 'Ada',
          check: true,
          firstLine: 'It was a dark and stormy night.',
          integer: 42,
          number: 3.14,
          untitledSingleSelectEnum: 'Monica',
          untitledMultipleSelectEnum: ['Guitar'],
          titledSingleSelectEnum: 'hero-1',
          titledMultipleSelectEnum: ['fish-1'],
          legacyTitledEnum: 'pet-1',
        },
      });
      expect(Object.keys(form.requestedSchema.properties)).to.include.members(Object.keys(raw.content));
    });

    for (const action of ['decline', 'cancel'] as const) {
      it(`a form, answered with ${action}`, async () => {
        everything.decide = () => ({ action });
        expect(textOf(await call('trigger-elicitation-request'))).to.include(`"action": "${action}"`);
      });
    }

    it('a visit to a URL (trigger-url-elicitation)', async () => {
      everything.decide = ({ mode }) => ({ action: mode === 'url' ? 'accept' : 'cancel' });
      const args = { url: 'https://example.com/', message: 'Please', elicitationId: 'spec-1' };
      expect(textOf(await call('trigger-url-elicitation', args))).to.include('Elicitation ID: spec-1');
      expect(everything.forms.at(-1)).to.deep.include({ mode: 'url', ...args });
    });

    it('a visit to a URL before the call, as an error; then the call again', async () => {
      everything.decide = () => ({ action: 'accept' });
      const args = { url: 'https://example.com/before', errorPath: true };
      const error = await errorOf(everything.client.callTool('trigger-url-elicitation', args));
      expect(error).to.be.instanceOf(RpcError).with.property('code', -32042);
      expect(error.data.elicitations[0]).to.deep.include({ mode: 'url', url: 'https://modelcontextprotocol.io' });
      expect(textOf(await call('trigger-url-elicitation', args))).to.include('User completed');
    });

    it('the same as a task, which may be answered at once', async () => {
      everything.decide = () => ({ action: 'accept', content: { name: 'Ada' } });
      expect(textOf(await call('trigger-sampling-request-async', { prompt: 'x' }))).to.include('[SYNC]').and.include('A haiku');
      expect(textOf(await call('trigger-elicitation-request-async'))).to.include('[SYNC]').and.include('Ada');
    });

    it('the roots, and again after a change (get-roots-list)', async () => {
      expect(textOf(await call('get-roots-list'))).to.include('file:///first').and.include('First');
      everything.roots$.next([{ uri: 'file:///first' }, { uri: 'file:///second', name: 'Second' }]);
      await until(async () => textOf(await call('get-roots-list')).includes('file:///second'));
    });
  });

  describe('logs', () => {
    const aboutResources = (logs: readonly LoggingMessageParams[]) => logs.map(({ data }) => String(data)).filter((text) => text.includes('Resource request'));

    it('come from the level on that was set', async () => {
      const { client } = everything;
      const logs = record(client.logs$);
      await valueOf(client.request('logging/setLevel', { level: 'error' }));
      await valueOf(client.request('resources/subscribe', { uri: `${TEXT}103` }));
      await valueOf(client.request('logging/setLevel', { level: 'info' }));
      await valueOf(client.request('resources/unsubscribe', { uri: `${TEXT}103` }));
      await until(() => aboutResources(logs.values).length > 0); // in order, so the other one would have come before
      expect(aboutResources(logs.values)).to.have.length(1);
      expect(aboutResources(logs.values)[0]).to.match(/^Received Unsubscribe/);
      logs.unsubscribe();
    });

    it('come by themselves when they are told to (toggle-simulated-logging)', async () => {
      const { client } = everything;
      const logs = record(client.logs$.pipe(filter(({ data }) => /-level message|level-message/.test(String(data)))));
      await valueOf(client.request('logging/setLevel', { level: 'debug' }));
      expect(textOf(await call('toggle-simulated-logging'))).to.match(/^Started/);
      await until(() => logs.values.length > 0);
      expect(logs.values[0]?.level).to.be.oneOf(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']);
      expect(textOf(await call('toggle-simulated-logging'))).to.match(/^Stopped/);
      logs.unsubscribe();
    });
  });

  describe('nothing is left out', () => {
    it('tools, prompts, resources and templates', async function () {
      if (ended.length < 20) this.skip(); // only a part of the suite was asked for
      const { client } = everything;
      const tools = await valueOf(client.listTools());
      expect(tools.map(({ name }) => name)).to.have.length.above(15);
      const undriven = (names: string[], method: Parameters<typeof everything.used>[0]) => names.filter((name) => !everything.used(method).includes(name));
      expect(undriven(tools.map(({ name }) => name), 'tools/call')).to.deep.equal([]);
      expect(undriven((await valueOf(client.listPrompts())).map(({ name }) => name), 'prompts/get')).to.deep.equal([]);
      expect(undriven((await valueOf(client.listResources())).map(({ uri }) => uri).filter((uri) => !uri.includes('/session/inside-')), 'resources/read')).to.deep.equal([]);
      const read = everything.used('resources/read');
      const templates = (await valueOf(client.listResourceTemplates())).map(({ uriTemplate }) => uriTemplate.slice(0, uriTemplate.indexOf('{')));
      expect(templates.filter((start) => !read.some((uri) => uri.startsWith(start)))).to.deep.equal([]);
    });

    it('and everything was answered once', () => {
      const asked = everything.wire.flatMap(({ direction, message }) => (direction === 'in' && 'method' in message && 'id' in message ? [message.id] : []));
      const answered = everything.wire.flatMap(({ direction, message }) => (direction === 'out' && !('method' in message) ? [message.id] : []));
      expect(answered).to.have.members(asked);
      expect(new Set(answered).size).to.equal(answered.length);
    });
  });
}
