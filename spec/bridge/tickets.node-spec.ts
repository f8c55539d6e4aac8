import { expect } from 'chai';
import { Tickets } from '../../lib/bridge/tickets.ts';
import { inVirtualTime } from '../support/test-scheduler.ts';

/** Issues one with a lifetime of 60 s, and says when it can be used. */
function goodAt(ms: number): boolean {
  let good = false;
  inVirtualTime(({ at, flush }) => {
    const tickets = new Tickets(60_000);
    const ticket = tickets.issue();
    at(ms, () => (good = tickets.redeem([ticket])));
    flush();
    tickets.unsubscribe();
  });
  return good;
}

describe('tickets of a bridge', () => {
  it('are good until their time is over', () => {
    expect([goodAt(0), goodAt(59_999), goodAt(60_000), goodAt(600_000)]).to.deep.equal([true, true, false, false]);
  });

  it('are good once, and found among other subprotocols', () => {
    const tickets = new Tickets(Infinity);
    const ticket = tickets.issue();
    expect(tickets.redeem(['mcp'])).to.equal(false);
    expect(tickets.redeem([])).to.equal(false);
    expect(tickets.redeem(['mcp', ticket])).to.equal(true);
    expect(tickets.redeem(['mcp', ticket])).to.equal(false);
  });

  it('are not to be guessed: a change anywhere makes another one', () => {
    const tickets = new Tickets(Infinity);
    const ticket = tickets.issue();
    for (let i = 0; i < ticket.length - 1; i++) {
      expect(tickets.redeem([`${ticket.slice(0, i)}${ticket[i] === 'x' ? 'y' : 'x'}${ticket.slice(i + 1)}`]), `at ${i}`).to.equal(false);
    }
    for (const other of [ticket.slice(0, -1), `${ticket}x`, ticket.toUpperCase(), 'ticket.']) expect(tickets.redeem([other])).to.equal(false);
    expect(tickets.redeem([ticket])).to.equal(true);
  });

  it('are valid subprotocols with 256 random bits, and differ', () => {
    const tickets = new Tickets(Infinity);
    const all = Array.from({ length: 100 }, () => tickets.issue());
    for (const ticket of all) expect(ticket).to.match(/^ticket\.[\w-]{43}$/);
    expect(new Set(all).size).to.equal(100);
  });

  it('only the first of several in one request counts', () => {
    const tickets = new Tickets(Infinity);
    const [first, second] = [tickets.issue(), tickets.issue()];
    expect(tickets.redeem(['ticket.wrong', first])).to.equal(false);
    expect(tickets.redeem([first, second])).to.equal(true);
    expect(tickets.redeem([second])).to.equal(true);
  });

  it('that are unused are bounded: the oldest goes', () => {
    const tickets = new Tickets(Infinity);
    const all = Array.from({ length: 1_001 }, () => tickets.issue());
    expect([all[0]!, all[1]!, all[1_000]!].map((ticket) => tickets.redeem([ticket]))).to.deep.equal([false, true, true]);
  });

  it('leave no timer behind, used or not', () => {
    inVirtualTime(({ flush, now }) => {
      const tickets = new Tickets(60_000);
      tickets.redeem([tickets.issue()]);
      tickets.issue();
      tickets.unsubscribe();
      expect(tickets.redeem([tickets.issue()])).to.equal(false);
      flush();
      expect(now()).to.equal(0);
    });
  });
});
