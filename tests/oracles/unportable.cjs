// An MCP server on standard input and output with one tool, whose schema is valid and unportable: a property is `true`.
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'unportable', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'anything', inputSchema: { type: 'object', properties: { value: true } } }],
  }),
};

require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method]
      ? { result: answers[method](params) }
      : { error: { code: -32601, message: `no method ${method}` } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
  });
