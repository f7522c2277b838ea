// Question: {name: {dialect, schema}}. Answer: {name: {oracle: "ok" | what is wrong}}.
// `openai-strict` and `anthropic-strict` are put through the vendor's own helper and must come back unchanged;
// every schema must compile in ajv, in its strict mode for 2020-12 and as draft 7.
const Ajv2020 = require('ajv/dist/2020').default;
const Ajv7 = require('ajv').default;
const addFormats = require('ajv-formats').default;
const { toStrictJsonSchema } = require('openai/lib/transform');
const { transformJSONSchema } = require('@anthropic-ai/sdk/lib/transform-json-schema');
const { isDeepStrictEqual } = require('node:util');

const verdict = (check) => {
  try {
    return check() ?? 'ok';
  } catch (error) {
    return `refused: ${error.message}`;
  }
};

// The helpers may change their argument, so they get a copy. The order of members carries no meaning.
const unchanged = (helper, schema) => {
  const made = helper(structuredClone(schema));
  if (!isDeepStrictEqual(made, schema)) return `changed to ${JSON.stringify(made)}`;
};

const compiles = (Ajv, options, schema) => {
  addFormats(new Ajv({ ...options, logger: false })).compile(schema);
};

const helpers = { 'openai-strict': toStrictJsonSchema, 'anthropic-strict': transformJSONSchema };

const judge = ({ dialect, schema }) => {
  const verdicts = {
    'ajv 2020-12': verdict(() => compiles(Ajv2020, { strict: true, allowUnionTypes: true }, schema)),
    'ajv draft 7': verdict(() => compiles(Ajv7, { strict: false }, schema)),
  };
  if (dialect in helpers) verdicts[dialect] = verdict(() => unchanged(helpers[dialect], schema));
  return verdicts;
};

const question = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const answer = Object.fromEntries(Object.entries(question).map(([name, asked]) => [name, judge(asked)]));
process.stdout.write(JSON.stringify(answer));
