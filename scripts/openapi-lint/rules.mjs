// biome-ignore-all lint/suspicious/noThenProperty: that is how rules of Spectral say what holds.
// The rules for the OpenAPI document: all of Redocly's `recommended-strict`, Spectral's `oas` and OWASP's API Security
// Top 10 of 2023, except those below. Each exception has its reason.
import { schema, truthy } from '@stoplight/spectral-functions'
import owasp from '@stoplight/spectral-owasp-ruleset'
import rulesets from '@stoplight/spectral-rulesets'

const top10 = owasp.default ?? owasp

/** Operations that need credentials; the others have `security: []`. */
const GUARDED = '$.paths[*][?(@ && @.responses && !(@.security && @.security.length === 0))].responses'

/** Every rule of Redocly, warnings included, as errors. */
export const redocly = { extends: ['recommended-strict'] }

const { 'oas3-valid-media-example': mediaExample } = rulesets.oas.rules
const compared = new WeakSet()

/** Compares an object with its schema once, not again for each of the hundreds of responses that refer to it. */
function compareOnce(object, ...rest) {
  if (compared.has(object)) return
  compared.add(object)
  return mediaExample.then.function(object, ...rest)
}

export const spectral = {
  extends: [rulesets.oas, top10],
  aliases: top10.aliases,
  rules: {
    // The rule, which compiles a schema for each comparison: two thirds of the time of all rules.
    'oas3-valid-media-example': { ...mediaExample, then: { ...mediaExample.then, function: compareOnce } },

    // Names, titles, descriptions and texts of providers have no pattern. Other texts have one
    // (src/gateway/rest/openapi/field-forms.ts), and every text has a maximum length.
    'owasp:api4:2023-string-restricted': 'off',

    // The integer keys of assets and the ids of chains name public facts, which nobody owns: there is nothing to guess.
    'owasp:api1:2023-no-numeric-ids': 'off',

    // These operations are open on purpose: register, login, the model cards and the list of datasets.
    // test/contract/access/access-matrix.test.ts checks that no other operation is open.
    'owasp:api2:2023-read-restricted': 'off',
    'owasp:api2:2023-write-restricted': 'off',

    // The rule without open operations, which ignore credentials and so never respond with 401.
    'owasp:api8:2023-define-error-responses-401': {
      message: 'Operation is missing {{property}}.',
      severity: 'error',
      given: GUARDED,
      then: [
        { field: '401', function: truthy },
        { field: '401.content', function: truthy },
      ],
    },

    // The rule without files, whose length depends on the requested rows.
    'owasp:api4:2023-string-limit': {
      message: 'Schema of type string must specify maxLength, enum, or const.',
      severity: 'error',
      given: '#StringProperties',
      then: {
        function: schema,
        functionOptions: {
          schema: {
            type: 'object',
            anyOf: ['maxLength', 'enum', 'const', 'contentMediaType'].map((name) => ({ required: [name] })),
          },
        },
      },
    },

    // The rule takes one family of headers and refuses two; we send the common one and that of the IETF draft. A caller
    // who is not known has no limits: a 401, and all answers of open operations.
    'owasp:api4:2023-rate-limit': {
      message: 'All 2XX and 4XX responses should define rate limiting headers.',
      severity: 'error',
      given: `${GUARDED}[?(@property.match(/^(2|4)/) && @property !== "401")]`,
      then: {
        field: 'headers',
        function: schema,
        functionOptions: {
          schema: { type: 'object', required: ['RateLimit', 'RateLimit-Policy', 'X-RateLimit-Limit'] },
        },
      },
    },
  },
}
