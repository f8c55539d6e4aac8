import { expect } from 'chai';
import { validParams } from './valid-params.ts';
import { problemOf } from './wire-check.ts';

const message = (more: object) => ({ jsonrpc: '2.0', ...more });
const discover = validParams('server/discover');

describe('the check of what is sent', () => {
  for (const [title, good, isModern, asked] of [
    ['a request', message({ id: 1, method: 'tools/call', params: { name: 'x' } }), false],
    ['a request that says everything', message({ id: 1, method: 'tools/call', params: { name: 'x', ...discover } }), true],
    ['a notification', message({ method: 'notifications/cancelled', params: { requestId: 1 } }), false],
    ['an answer', message({ id: 's', result: { roots: [] } }), false, 'roots/list'],
    ['an error answer', message({ id: 's', error: { code: 1, message: 'x' } }), false, 'roots/list'],
    ['a method that no schema knows', message({ id: 1, method: 'x/y', params: 7 }), false],
  ] as const) {
    it(`lets ${title} pass`, () => {
      expect(problemOf(good, isModern, asked)).to.equal(undefined);
    });
  }

  const withMeta = (more: object) => message({ id: 1, method: 'tools/list', params: { _meta: { ...discover._meta, ...more } } });
  for (const [title, bad, isModern, asked] of [
    ['params of a wrong type', message({ id: 1, method: 'tools/call', params: { name: 7 } }), false],
    ['params that are missing', message({ id: 1, method: 'resources/read' }), false],
    ['an id that is null', message({ id: null, method: 'tools/list' }), false],
    ['no version of JSON-RPC', { id: 1, method: 'tools/list' }, false],
    ['a notification with odd params', message({ method: 'notifications/cancelled', params: { requestId: {} } }), false],
    ['an answer of a wrong shape', message({ id: 's', result: { roots: [{ uri: 7 }] } }), false, 'roots/list'],
    ['a modern request without its fields', message({ id: 1, method: 'tools/list', params: {} }), true],
    ['a modern request of another revision', withMeta({ 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }), true],
    ['a modern request without clientInfo', withMeta({ 'io.modelcontextprotocol/clientInfo': undefined }), true],
    ['a modern request with capabilities that are none', withMeta({ 'io.modelcontextprotocol/clientCapabilities': { elicitation: 7 } }), true],
  ] as const) {
    it(`finds ${title}`, () => {
      expect(problemOf(bad, isModern, asked)).to.be.a('string');
    });
  }
});
