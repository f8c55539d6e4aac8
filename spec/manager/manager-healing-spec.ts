import { expect } from 'chai';
import type { ServerState } from '../../lib/manager/server-state.ts';
import { Refusal } from '../support/peer.ts';
import { inVirtualTime, record, type Recorded } from '../support/test-scheduler.ts';
import type { ServerStatus } from '../../lib/manager/manager-types.ts';
import { after, dying, entry, initialized, managing, names, serving } from './managed.ts';

/** Handshakes and lists, then ends at once. */
const crashing = (time: Parameters<typeof after>[0], livesMs = 1) =>
  serving(['x'], {
    'notifications/initialized': (_, peer) => time.at(livesMs, () => peer.close()),
  });

/** The phases of one server, each change once. */
const phasesOf = (states: Recorded<readonly ServerStatus[]>, name = 'a'): ServerState['phase'][] => {
  const all = states.values.map((list) => list.find((status) => status.name === name)?.state.phase).filter((phase) => phase !== undefined);
  return all.filter((phase, index) => phase !== all[index - 1]);
};

describe('McpManager heals [R53]', () => {
  it('a connection that is lost: later each time, its tools still to be seen, and the same client for whoever has it', () => {
    inVirtualTime((time) => {
      const { manager, started, states, peer, starts, phase, end } = managing(time, { a: serving(['x']) });
      const tools = record(manager.tools$);
      started();
      const client = manager.clientOf('a');
      const start = time.now();
      time.at(10, () => {
        peer('a').close();
      });
      time.at(100, () => {
        expect(phase('a')).to.equal('reconnecting');
        expect(manager.statusOf('a')?.state.cause).to.have.property('name', 'ConnectionClosedError');
        expect(manager.statusOf('a')?.state.nextAttemptAt).to.be.a('number');
        expect(names(tools.values.at(-1))).to.deep.equal(['(a__x)']);
      });
      time.flush();
      expect(time.now() - start).to.be.at.least(510);
      expect([phase('a'), starts('a'), names(tools.values.at(-1))]).to.deep.equal(['ready', 2, ['a__x']]);
      expect(manager.clientOf('a')).to.equal(client);
      expect(phasesOf(states)).to.deep.equal(['ready', 'reconnecting', 'ready']);
      end();
    });
  });

  it('a start that fails, though the first one does: cold package runners do', () => {
    inVirtualTime((time) => {
      const { started, starts, phase, manager, end } = managing(time, { a: (n) => (n < 2 ? dying : serving(['x'])) });
      const results = started();
      expect(results.values.map(({ status }) => status)).to.deep.equal(['failed']); // told at once, not at the end
      expect([phase('a'), starts('a')]).to.deep.equal(['ready', 3]);
      expect(manager.statusOf('a')?.tools).to.equal(1);
      end();
    });
  });

  it('a server that ends after each handshake is started six times, then stopped, and started again by hand [B77]', () => {
    inVirtualTime((time) => {
      const { manager, started, starts, phase, end } = managing(time, { a: crashing(time) });
      const start = time.now();
      started(); // all the time it takes
      expect(time.now() - start).to.be.below(60_000);
      expect(starts('a')).to.equal(6);
      expect(phase('a')).to.equal('stopped');
      expect(manager.statusOf('a')?.state.cause).to.have.property('name', 'ConnectionClosedError');
      manager.reconnect('a');
      time.flush();
      expect([starts('a'), phase('a')]).to.deep.equal([12, 'stopped']);
      end();
    });
  });

  it('stays within that budget however many calls come meanwhile: each 15 s, 30 s, … one of them tries again [B77]', () => {
    inVirtualTime((time) => {
      const { manager, started, starts, close, end } = managing(time, { a: crashing(time) });
      started();
      const calls: Recorded<unknown>[] = [];
      const call = () => calls.push(record(manager.callTool('a__x')));
      for (let ms = 0; ms < 60_000; ms += 100) time.at(ms, call);
      time.at(60_001, close);
      time.flush();
      expect(starts('a')).to.be.within(7, 9);
      expect(calls).to.have.length(600);
      for (const { completed, errors } of calls) expect(completed + errors.length).to.equal(1);
      end();
    });
  });

  it('six losses with good hours between them are six single ones [B78]', () => {
    inVirtualTime((time) => {
      const { started, starts, phase, end } = managing(time, { a: (n) => (n < 6 ? crashing(time, 3_600_000) : serving(['x'])) });
      started();
      expect([starts('a'), phase('a')]).to.deep.equal([7, 'ready']);
      end();
    });
  });

  it('a remote server that fails five times is tried slowly, and comes back by itself [B78]', () => {
    inVirtualTime((time) => {
      let attempts = 0;
      const flaky = serving(['x'], {
        initialize: (message, peer) => {
          if (++attempts <= 16) throw new Refusal(-32603, 'starting');
          return initialized(message, peer);
        },
      });
      const { started, states, phase, end } = managing(time, { a: flaky }, { source: [[entry('a', { remote: true })]] });
      started();
      expect(phase('a')).to.equal('ready');
      expect(phasesOf(states)).to.include('probing');
      expect(phasesOf(states)).to.not.include('stopped');
      end();
    });
  });

  it('a deadline that passes ends the attempt for good: what answers late changes nothing', () => {
    inVirtualTime((time) => {
      const { started, servers, phase, starts, end } = managing(
        time,
        { a: (n) => serving([`x${n}`], n === 0 ? { initialize: after(time, 1_500, initialized) } : {}) },
        { source: [[entry('a', { connectTimeoutMs: 1_000 })]] },
      );
      started();
      expect([phase('a'), starts('a')]).to.deep.equal(['ready', 2]);
      expect(servers.a?.peers[0]?.closed).to.equal(true);
      end();
    });
  });

  it('a connection that is quiet is tried, and renewed when nothing comes back', () => {
    inVirtualTime((time) => {
      const { manager, peer, starts, phase, close, end } = managing(time, { a: (n) => serving(['x'], n === 0 ? { ping: (_, its) => (its.of('ping').length < 3 ? {} : undefined) } : {}) }, { quietMs: 10_000 });
      void manager.discoverAndConnect();
      time.at(25_000, () => {
        expect(peer('a').of('ping')).to.have.length(2);
        expect(phase('a')).to.equal('ready');
      });
      time.at(75_000, () => {
        expect([starts('a'), phase('a')]).to.deep.equal([2, 'ready']);
        close();
      });
      time.flush();
      end();
    });
  });

  it('nothing is tried on quiet connections by itself', () => {
    inVirtualTime((time) => {
      const { started, peer, end } = managing(time, { a: serving(['x']) });
      started();
      expect(peer('a').of('ping')).to.deep.equal([]);
      end();
    });
  });

  it('reconnect() by hand goes at once, whatever was planned', () => {
    inVirtualTime((time) => {
      const { manager, started, starts, phase, peer, close, end } = managing(time, { a: serving(['x']) }, { healing: { firstDelayMs: 100_000, random: () => 0.5 } });
      started();
      peer('a').close();
      time.at(10, () => {
        expect(phase('a')).to.equal('reconnecting');
        manager.reconnect('a');
      });
      time.at(20, () => {
        expect([phase('a'), starts('a')]).to.deep.equal(['ready', 2]);
        manager.reconnect('a'); // and one that is in use is made anew
      });
      time.at(30, () => {
        expect([phase('a'), starts('a')]).to.deep.equal(['ready', 3]);
        close();
      });
      time.flush();
      end();
    });
  });

  it('five who connect in one tick, and a close among them, make one server [B80]', () => {
    inVirtualTime((time) => {
      const { manager, starts, close, end } = managing(time, { a: serving(['x'], { initialize: after(time, 50, initialized) }) });
      void manager.discoverAndConnect();
      for (let n = 0; n < 5; n++) void manager.connectToServer('a');
      time.at(10, () => {
        expect(starts('a')).to.equal(1);
        close();
      });
      time.flush();
      expect(starts('a')).to.equal(1);
      end();
    });
  });
});
