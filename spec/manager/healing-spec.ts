import { expect } from 'chai';
import { ConfigError, ConnectionClosedError, HttpError, NetworkError, RpcError, SpawnError } from '../../lib/errors.ts';
import { Healing, type HealingOptions } from '../../lib/manager/healing.ts';
import { inVirtualTime } from '../support/test-scheduler.ts';

const lost = new ConnectionClosedError();
const steady: HealingOptions = { random: () => 0.5 };
const fail = (healing: Healing, times: number, cause: unknown = lost) => Array.from({ length: times }, () => healing.failed(cause));
const text = ({ phase, delayMs }: { phase: string; delayMs: number }) => `${phase} ${delayMs}`;

describe('Healing [B77 B78]', () => {
  it('waits twice as long after each failure in a row, then gives a process up', () => {
    expect(fail(new Healing(steady, false), 7).map(text)).to.deep.equal([
      ...['reconnecting 500', 'reconnecting 1000', 'reconnecting 2000', 'reconnecting 4000', 'reconnecting 8000'],
      ...['stopped 15000', 'stopped 30000'],
    ]);
  });

  it('goes on trying a remote server, slowly', () => {
    expect(fail(new Healing(steady, true), 12).map(text).slice(5)).to.deep.equal([
      ...['probing 15000', 'probing 30000', 'probing 60000', 'probing 120000', 'probing 240000', 'probing 300000', 'probing 300000'],
    ]);
  });

  it('counts a connection as good that lived long enough; that it came about counts for nothing', () => {
    inVirtualTime(({ at, flush }) => {
      const healing = new Healing(steady, false);
      const seen: string[] = [];
      for (let n = 0; n < 4; n++) {
        healing.connected();
        seen.push(text(healing.failed(lost))); // at once: the connection proved nothing
      }
      healing.connected();
      at(29_999, () => seen.push(text(healing.failed(lost))));
      at(30_000, () => {
        healing.connected();
      });
      at(60_000, () => seen.push(text(healing.failed(lost))));
      flush();
      expect(seen).to.deep.equal(['reconnecting 500', 'reconnecting 1000', 'reconnecting 2000', 'reconnecting 4000', 'reconnecting 8000', 'reconnecting 500']);
    });
  });

  it('begins afresh when somebody asks for it', () => {
    const healing = new Healing(steady, false);
    fail(healing, 6);
    healing.reset();
    expect(text(healing.failed(lost))).to.equal('reconnecting 500');
  });

  it('does not try by itself what no time heals', () => {
    for (const cause of [new SpawnError('x', 'ENOENT', 'not found'), new SpawnError('x', 'EACCES', 'no'), new ConfigError('x'), new HttpError(401, 'x'), new HttpError(403, 'x')]) {
      expect(new Healing(steady, true).failed(cause).phase, String(cause)).to.equal('stopped');
    }
    for (const cause of [new SpawnError('x', 'EAGAIN', 'busy'), new HttpError(404, 'x'), new HttpError(429, 'x'), new HttpError(503, 'x'), new NetworkError('x', 'ECONNREFUSED', undefined, undefined), new RpcError(-32603, 'x')]) {
      expect(new Healing(steady, true).failed(cause).phase, String(cause)).to.equal('reconnecting');
    }
  });

  it('spreads its attempts by up to a fifth', () => {
    const at = (random: number) => new Healing({ random: () => random }, false).failed(lost).delayMs;
    expect([at(0), at(0.5), at(1)].map(Math.round)).to.deep.equal([400, 500, 600]);
  });

  it('takes other numbers', () => {
    const healing = new Healing({ ...steady, firstDelayMs: 10, maxDelayMs: 15, maxAttempts: 3, probeDelayMs: 100, maxProbeDelayMs: 150 }, true);
    expect(fail(healing, 6).map(text)).to.deep.equal(['reconnecting 10', 'reconnecting 15', 'reconnecting 15', 'probing 100', 'probing 150', 'probing 150']);
  });
});
