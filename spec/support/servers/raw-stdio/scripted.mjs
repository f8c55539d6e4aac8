// Answers by rules, first match wins:
//   { "rules": [{ "on": "tools/call", "times": 1, "reply": {…} | "error": {…} | "silent": true | "raw": "text\n" | "exit": 3,
//                 "stderr": "text", "delay": 20, "before": [message, …], "after": [message, …] }] }
// `before` and `after` are messages sent around the answer; "$id" in them, and in `raw`, stands for the request's id.
import { line, NO_ANSWER, RpcFailure, sleep } from '../raw-stdio.mjs';

/** @type {import('../raw-stdio.mjs').Scenario} */
export default (server, { rules }) => {
  const methods = new Set(rules.map((/** @type {any} */ { on }) => on));
  for (const method of methods) {
    server.on(method, async (_, { id }) => {
      const rule = rules.find((/** @type {any} */ { on, times = Infinity }) => on === method && times > 0);
      if (!rule) throw new RpcFailure(-32601, 'Method not found');
      if (rule.times !== undefined) rule.times--;
      /** @param {string} value */
      const filled = (value) => value.replaceAll('"$id"', JSON.stringify(id));

      if (rule.stderr !== undefined) process.stderr.write(rule.stderr);
      if (rule.delay !== undefined) await sleep(rule.delay);
      for (const message of rule.before ?? []) await server.write(filled(line(message)));
      if (rule.exit !== undefined) process.exit(rule.exit);
      if (rule.raw !== undefined) await server.write(filled(rule.raw));
      if (rule.error !== undefined) await server.send({ jsonrpc: '2.0', id, error: rule.error });
      if (rule.reply !== undefined) await server.reply(id, rule.reply);
      for (const message of rule.after ?? []) await server.write(filled(line(message)));
      return NO_ANSWER;
    });
  }
  server.listen();
};
