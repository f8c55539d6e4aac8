// Run by leaks.node-spec.ts in a Mocha of its own: every one of these must be reported.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

describe('leaking', () => {
  it('a timer', () => void setInterval(() => {}, 60_000));
  it('a child', () => spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' }).unref());
  it('a server', (done) => void createServer().listen(0, '127.0.0.1', done));
  it('a rejection', async () => {
    void Promise.reject(new Error('nobody listens'));
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  it('an exception', (_done) => {
    setTimeout(() => {
      throw new Error('out of the blue');
    });
  });
  it('nothing', () => {});
});
