// Smoke specs of the stdio fixtures, and of HTTP scenarios inside a spec.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { type Command, rawStdio, startFixtures, startRawHttp, stdioServer } from './node-fixtures.ts';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } },
};
const call = (id: number, args: object = {}) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: args } });

/** Starts a server, writes the messages, and ends it when it has written `count` lines or exited. */
async function talk({ command, args }: Command, messages: object[], count: number) {
  const child = spawn(command, args, { stdio: 'pipe' });
  const exited = new Promise<number | null>((resolve) => void child.on('exit', resolve));
  child.stdin.on('error', () => {});
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (lines.length === count) child.kill('SIGKILL');
  }
  return { lines, stderr, code: await exited, answers: () => lines.map((line) => JSON.parse(line)) };
}

describe('stdio fixtures', () => {
  for (const name of ['everything', 'legacy', 'dual'] as const) {
    it(`${name} answers initialize`, async () => {
      const { answers } = await talk(stdioServer(name), [initialize], 1);
      expect(answers()[0].result.protocolVersion).to.equal('2025-11-25');
    });
  }

  it('modern refuses initialize', async () => {
    const { answers } = await talk(stdioServer('modern'), [initialize], 1);
    expect(answers()[0].error.code).to.equal(-32022);
  });

  it('legacy reports a cancelled call', async () => {
    const slow = { jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'slow', arguments: { interval: 5_000 } } };
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow', reason: 'enough' } };
    const list = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'cancelled' } };
    const { answers, stderr } = await talk(stdioServer('legacy'), [initialize, slow, cancel, list], 3);
    const log = answers().find(({ method }) => method === 'notifications/message');
    const cancelled = answers().find(({ id }) => id === 3);
    expect(log.params.data).to.equal('cancelled slow');
    expect(cancelled.result.structuredContent).to.deep.equal({ calls: [{ id: 'slow' }] });
    expect(stderr).to.include('cancelled slow');
  });

  it('raw: plain answers', async () => {
    const { answers } = await talk(rawStdio('plain'), [initialize, call(2, { x: 1 })], 2);
    expect(answers().map(({ id }) => id)).to.deep.equal([1, 2]);
  });

  it('raw: banner mixes in other lines', async () => {
    const { lines } = await talk(rawStdio('banner'), [initialize], 5);
    expect(lines.slice(0, 4)).to.deep.equal(['Server v1.0 starting', '{', '', '[MCP] initialize requested']);
  });

  it('raw: exits says why', async () => {
    const { code, stderr } = await talk(rawStdio('exits'), [], 1);
    expect({ code, stderr }).to.deep.equal({ code: 78, stderr: 'Error: missing API key\n' });
  });

  it('raw: long-line counts bytes', async () => {
    const { lines } = await talk(rawStdio('long-line', { bytes: 100_000 }), [call(1)], 1);
    expect(lines[0]).to.have.length(100_000);
  });

  it('raw: scripted follows its rules', async () => {
    const rules = [
      { on: 'tools/call', times: 1, error: { code: -1, message: 'once' } },
      { on: 'tools/call', raw: 'noise\n{"id":"$id","result":"raw"}\n' },
    ];
    const { lines } = await talk(rawStdio('scripted', { rules }), [call(1), call(2)], 3);
    expect(JSON.parse(lines[0] ?? '')).to.deep.equal({ jsonrpc: '2.0', id: 1, error: { code: -1, message: 'once' } });
    expect(lines.slice(1)).to.deep.equal(['noise', '{"id":2,"result":"raw"}']);
  });

  it('raw: every scenario starts', async () => {
    const files = readdirSync(new URL('servers/raw-stdio/', import.meta.url));
    const options = { rules: [], count: 1, bytes: 10 };
    await Promise.all(
      files.map(async (file) => {
        const { command, args } = rawStdio(file.replace('.mjs', ''), options);
        const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'] });
        let stderr = '';
        child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
        const closed = new Promise((resolve) => void child.on('close', resolve));
        await new Promise((resolve) => setTimeout(resolve, 500));
        for (const [, pid] of stderr.matchAll(/grandchild (\d+)/g)) process.kill(Number(pid), 'SIGKILL');
        child.kill('SIGKILL');
        if (file !== 'orphan.mjs') await closed;
        else child.stderr.destroy();
        expect(stderr, file).not.to.include('Error:  ');
        expect(stderr, file).not.to.match(/SyntaxError|TypeError|ReferenceError|ERR_/);
      }),
    );
  });
});

describe('HTTP scenarios inside a spec', () => {
  it('serve, record and close', async () => {
    await using http = await startRawHttp((_request, _response, body, context) => context.result({ got: body.method }));
    const response = await fetch(http.url, { method: 'POST', body: JSON.stringify({ id: 1, method: 'x/y' }) });
    expect(await response.json()).to.deep.equal({ jsonrpc: '2.0', id: 1, result: { got: 'x/y' } });
    expect(http.requests).to.have.length(1);
  });

  it('a fixture host of its own can be killed', async () => {
    const { urls, stop } = await startFixtures(['raw']);
    expect((await fetch(`${urls.raw}/plain`, { method: 'GET' })).status).to.equal(405);
    await stop();
    const failure: unknown = await fetch(`${urls.raw}/plain`).catch((error: unknown) => error);
    expect(failure).to.be.an('error');
  });
});
