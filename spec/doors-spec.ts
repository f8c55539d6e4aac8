import { expect } from 'chai';
import * as door from '../lib/index.ts';
import { ConfigError, Connection, createTransport } from '../lib/index.ts';
import * as testing from '../lib/testing.ts';

describe('createTransport() of the browser door [R04]', () => {
  for (const type of ['http', 'sse'] as const) {
    it(`makes an HTTP transport for the type "${type}"`, () => {
      const connection = createTransport({ type, url: 'http://127.0.0.1:1/mcp' });
      expect(connection).to.be.instanceOf(Connection);
      expect([connection.hasRequestStreams, connection.connected]).to.deep.equal([true, false]);
    });
  }

  for (const type of ['pigeon', 'websocket', 'stdio', '', undefined]) {
    it(`names the type ${JSON.stringify(type)} that it does not know`, () => {
      expect(() => createTransport({ type, url: 'http://127.0.0.1:1/mcp' } as never))
        .to.throw(ConfigError)
        .with.property('message')
        .that.includes(`"${type ?? 'stdio'}"`);
    });
  }

  for (const url of ['', 'mcp', 'ftp://example.com', 'http://', 'https://user:secret@']) {
    it(`refuses the URL ${JSON.stringify(url)}`, () => {
      expect(() => createTransport({ type: 'http', url })).to.throw(ConfigError).with.property('message').that.does.not.include('secret');
    });
  }

  it('exports no Node part', () => {
    expect(door).to.not.have.any.keys('StdioTransport', 'INHERITED_VARIABLES');
  });
});

describe('the door for tests', () => {
  it('exports its helpers, and nothing that another door has', () => {
    const names = ['answerTo', 'collect', 'expectNoLeaks', 'failureOf', 'leaks', 'outcome', 'parseRecording', 'progressOf', 'provideLazyModules', 'recordWire', 'replay', 'runMcpMarbles', 'scriptedEntries', 'scriptedServer', 'withScriptedServers'];
    const classes = ['LeakError', 'MarbleMismatchError', 'MarbleSetupError', 'RecordingFormatError', 'ReplayError', 'ReplayMismatchError', 'ReplayServer', 'ScriptedServer'];
    expect(Object.keys(testing).sort()).to.deep.equal([...names, ...classes].sort());
    expect(door).to.not.have.any.keys(...names, ...classes);
  });
});
