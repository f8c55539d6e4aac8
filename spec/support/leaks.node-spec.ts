import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { leaksSince, mark } from './leaks.ts';

describe('the leak check', () => {
  const kinds = async (base: ReadonlySet<number>): Promise<string[]> => (await leaksSince(base, 50)).map(({ kind }) => kind);

  it('reports a timer, until it is cleared', async () => {
    let base = mark();
    clearTimeout(setTimeout(() => {}, 60_000));
    expect(await kinds(base)).to.deep.equal([]);

    base = mark();
    const timer = setTimeout(() => {}, 60_000);
    const [leak] = await leaksSince(base, 0);
    expect(leak?.kind).to.equal('timer');
    expect(leak?.stack).to.include('leaks.node-spec.ts');
    clearTimeout(timer);
  });

  it('reports a child, even one that was unreferenced, until it ends', async () => {
    const start = () => spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
    let base = mark();
    let child = start();
    child.kill();
    await once(child, 'exit');
    expect(await kinds(base)).to.deep.equal([]);

    base = mark();
    child = start();
    child.unref();
    expect(await kinds(base)).to.deep.equal(['child process']);
    await once(child, 'exit');
  });

  it('reports a server and its sockets, until they are closed', async () => {
    const base = mark();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect(server.address() as { port: number });
    const [peer] = (await once(server, 'connection')) as [typeof socket];
    expect(await kinds(base)).to.have.members(['server', 'socket', 'socket']);
    socket.destroy();
    peer.destroy();
    server.close();
    await once(server, 'close');
    expect(await kinds(base)).to.deep.equal([]);
  });

  it('fails a whole run, names the spec, and lets the run end', function () {
    this.timeout(20_000);
    const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [mocha, 'spec/support/leaking/leaking.fixture.ts'], { encoding: 'utf8', timeout: 18_000 });
    const output = stdout + stderr;
    expect(status, output).to.be.greaterThan(0);
    expect(output).to.include('timer left over by "leaking a timer"');
    expect(output).to.include('child process left over by "leaking a child"');
    expect(output).to.include('server left over by "leaking a server"');
    expect(output).to.match(/unhandled rejection during "leaking a rejection": Error: nobody listens/);
    expect(output).to.include('out of the blue');
    expect(output).not.to.include('left over by "leaking nothing"');
  });
});
