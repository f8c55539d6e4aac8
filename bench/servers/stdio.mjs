// A stdio server without any SDK, made to be faster than every client: it looks for two numbers in a line in place of parsing
// it, answers with prepared texts, and writes all answers to a chunk at once. `--starts FILE` adds a dot to FILE when it starts.
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { answer, answerRest, largeTail, logMessage, progressMessage, shuffled } from './answers.mjs';

const SLICE = 500;

const { starts } = parseArgs({ options: { starts: { type: 'string' } } }).values;
if (starts !== undefined) appendFileSync(starts, '.');

/** @param {RegExp} pattern @param {string} line */
const find = (pattern, line) => pattern.exec(line)?.[1] ?? '';
/** @param {string} line as JSON */
const idOf = (line) => find(/"id":("[^"]*"|\d+)/, line);
/** @param {string} line */
const indexOf = (line) => find(/"i":(\d+)/, line);

/** @type {Map<number, string>} */
const prepared = new Map();
/** @param {number} key @param {() => string} make */
function once(key, make) {
  const text = prepared.get(key) ?? make();
  prepared.set(key, text);
  return text;
}

/** Ids and indexes of calls that wait for the others. @type {[id: string, index: string][]} */
let held = [];

/** @param {string} line */
function hold(line) {
  held.push([idOf(line), indexOf(line)]);
  if (held.length < Number(find(/"of":(\d+)/, line))) return '';
  const waiting = held;
  held = [];
  const order = shuffled(waiting.length);
  for (let from = 0; from < order.length; from += SLICE) {
    let slice = '';
    for (const place of order.slice(from, from + SLICE)) slice += `${answer(...(waiting[place] ?? ['0', '']))}\n`;
    process.stdout.write(slice);
  }
  return '';
}

/** @param {string} line @returns {string} what to write */
function reply(line) {
  if (line.includes('"name":"echo"')) return `${answer(idOf(line), indexOf(line))}\n`;
  if (line.includes('"name":"held"')) return hold(line);
  const request = JSON.parse(line);
  const { name, arguments: args, _meta } = request.params ?? {};
  const id = JSON.stringify(request.id);
  switch (name) {
    case 'notify':
      return once(args.count, () => Array.from({ length: args.count }, (_, i) => `${logMessage(i)}\n`).join('')) + `${answer(id, args.count)}\n`;
    case 'large':
      return `{"jsonrpc":"2.0","id":${id}${once(-args.bytes, () => largeTail(args.bytes))}\n`;
    case 'progress': {
      const token = JSON.stringify(_meta.progressToken);
      return Array.from({ length: args.count }, (_, i) => `${progressMessage(token, i, args.count)}\n`).join('') + `${answer(id, args.count)}\n`;
    }
    default: {
      const text = answerRest(request);
      return text === undefined ? '' : `${text}\n`;
    }
  }
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (/** @type {string} */ chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  let out = '';
  for (const line of lines) out += reply(line);
  if (out !== '') process.stdout.write(out);
});
