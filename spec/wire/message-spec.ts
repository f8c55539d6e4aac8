import { expect } from 'chai';
import { isFailure, isJsonRpcMessage, isNotification, isObject, isRequest, isResponse, matchingId, type JsonRpcMessage, type RequestId } from '../../lib/wire/message.ts';

describe('messages', () => {
  const kinds = {
    request: isRequest,
    notification: isNotification,
    response: isResponse,
    failure: isFailure,
  };
  const kindsOf = (message: object) =>
    Object.entries(kinds).flatMap(([name, guard]) => (guard(message as JsonRpcMessage) ? [name] : []));

  const messages: [title: string, message: object, kinds: string[]][] = [
    ['a request', { jsonrpc: '2.0', id: 1, method: 'ping' }, ['request']],
    ['a request with a text id', { jsonrpc: '2.0', id: '', method: 'ping' }, ['request']],
    ['a request with id 0', { jsonrpc: '2.0', id: 0, method: 'ping' }, ['request']],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, ['notification']],
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }, ['response']],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } }, ['response', 'failure']],
    // What real servers send.
    ['a result without jsonrpc', { id: 1, result: {} }, ['response']],
    ['a result that is null', { jsonrpc: '2.0', id: 1, result: null }, ['response']],
    ['a null result without an id', { jsonrpc: '2.0', result: null }, ['response']],
    ['an error with id null', { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }, ['response', 'failure']],
    ['an error without an id', { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid' } }, ['response', 'failure']],
    ['a result beside a null error', { jsonrpc: '2.0', id: 1, result: {}, error: null }, ['response']],
    ['an error beside a null result', { jsonrpc: '2.0', id: 1, result: null, error: { code: -1, message: 'no' } }, ['response', 'failure']],
    ['an error without a message', { jsonrpc: '2.0', id: 1, error: { code: -1 } }, ['response', 'failure']],
    ['a message with fields of its own', { jsonrpc: '2.0', method: 'x', params: {}, trace: 7 }, ['notification']],
  ];

  for (const [title, message, expected] of messages) {
    it(`takes ${title}`, () => {
      expect(isJsonRpcMessage(message)).to.equal(true);
      expect(kindsOf(message)).to.deep.equal(expected);
    });
  }

  const others: [title: string, value: unknown][] = [
    ['null', null],
    ['a number', 7],
    ['text', 'ping'],
    ['true', true],
    ['an array', [{ jsonrpc: '2.0', method: 'x' }]],
    ['an empty object', {}],
    ['only an id', { jsonrpc: '2.0', id: 1 }],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 7 }],
    ['a request whose id is an object', { jsonrpc: '2.0', id: {}, method: 'x' }],
    ['a request whose id is true', { jsonrpc: '2.0', id: true, method: 'x' }],
    ['a log line of a logger', { level: 'info', msg: 'listening' }],
  ];

  for (const [title, value] of others) {
    it(`is not ${title}`, () => {
      expect(isJsonRpcMessage(value)).to.equal(false);
    });
  }

  it('knows an object from null and arrays', () => {
    expect([{}, Object.create(null), null, [], 'x', undefined].map(isObject)).to.deep.equal([true, true, false, false, false, false]);
  });
});

describe('matchingId [B27]', () => {
  const match = (id: unknown, ...pending: RequestId[]) => matchingId(id, (candidate) => pending.includes(candidate));

  it('finds the id itself', () => {
    expect(match(1, 1, 2)).to.equal(1);
    expect(match('a', 'a')).to.equal('a');
    expect(match(0, 0)).to.equal(0);
    expect(match('', '')).to.equal('');
  });

  it('takes the decimal text of a number that is waited for', () => {
    expect(match('0', 0)).to.equal(0);
    expect(match('1', 1)).to.equal(1);
    expect(match('999999999999999', 999_999_999_999_999)).to.equal(999_999_999_999_999);
  });

  it('prefers the very same id', () => {
    expect(match('1', 1, '1')).to.equal('1');
    expect(match(1, 1, '1')).to.equal(1);
  });

  it('takes 1.0 and 1e0, which are the number 1 in JSON', () => {
    expect(match(JSON.parse('1.0'), 1)).to.equal(1);
    expect(match(JSON.parse('1e0'), 1)).to.equal(1);
  });

  it('never takes a number for a text', () => {
    expect(match(1, '1')).to.equal(undefined);
  });

  for (const text of ['01', '1.0', '1e0', '+1', '-0', ' 1', '1 ', '0x1', '', '１', '1\n']) {
    it(`does not read ${JSON.stringify(text)} as a number`, () => {
      expect(match(text, 0, 1)).to.equal(undefined);
    });
  }

  it('finds nothing for null, nothing, or what can be no id', () => {
    for (const id of [null, undefined, true, {}, [1]]) expect(match(id, 1, 0)).to.equal(undefined);
  });

  it('does not round a long number to another one', () => {
    expect(match('9007199254740993', 9007199254740992)).to.equal(undefined);
  });
});
