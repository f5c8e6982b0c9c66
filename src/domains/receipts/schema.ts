import type { ReceiptClaims, ReceiptRequest, ReceiptTest } from '../../platform/receipts/receipt.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { KnowledgeBasisType } from '../../schema-kit/shared-arguments.js'
import { flag, shownAs, shownFields, text, texts } from '../../schema-kit/shown-fields.js'
import { parseReceiptQuery, type ReceiptQuery, type Rerun, runAgain } from './service.js'

/** The body of a request is limited, and the answer is a part of it. A longer answer can be checked offline. */
const MAX_ANSWER_CHARACTERS = 200_000

const MAX_RECEIPT_CHARACTERS = 16_384

const ReceiptRequestType = builder.objectRef<ReceiptRequest>('ReceiptRequest').implement({
  description: 'The request that an answer was given to.',
  fields: (t) =>
    shownFields(t, {
      method: text('GET or POST.'),
      target: text('Path and query.'),
      accept: text.orNull('The header Accept. Null if none was sent.'),
      prefer: text.orNull('The header Prefer. Null if none was sent.'),
      body: text.orNull('The body. Null for a request without one.'),
    }),
})

const ReceiptClockType = builder.objectRef<NonNullable<ReceiptClaims['clock']>>('ReceiptClock').implement({
  description: 'The clock of a key, which an answer is as of.',
  fields: (t) =>
    shownFields(t, {
      as_of: t.field({
        type: 'DateTime',
        description: 'Nothing that became known later is in the answer.',
        resolve: ({ as_of }) => new Date(as_of),
      }),
      basis: shownAs(KnowledgeBasisType)('Since when a fact counts as known.'),
    }),
})

const ReceiptType = builder.objectRef<ReceiptClaims>('Receipt').implement({
  description: 'What a receipt says of one answer.',
  fields: (t) =>
    shownFields(t, {
      iss: text('URL of the gateway that gave the answer.'),
      instant: t.field({
        type: 'DateTime',
        description: 'The instant of the request. What the gateway learned later is not in the answer.',
        resolve: ({ instant }) => new Date(instant),
      }),
      clock: shownAs(ReceiptClockType).orNull(
        'The clock of the key that asked. Null for a key without a clock.',
      ),
      operation: text('The operations of the request, separated by commas.'),
      request: shownAs(ReceiptRequestType).orNull(
        'The request. Null if it had more than 4,096 bytes; request_sha256 is there anyway.',
      ),
      request_sha256: text('SHA-256 of the JSON of the request, 64 hex digits.'),
      data_versions: text.orNull(
        'Version of each dataset that the answer was read from, as in X-Data-Version. Null with a clock.',
      ),
      scopes: texts('The scopes of the caller.'),
      withheld: texts('The scopes that the caller lacked: what they show was not shown.'),
      body_sha256: text('SHA-256 of the bytes of the answer, 64 hex digits.'),
    }),
})

const ReceiptTestType = builder.objectRef<ReceiptTest>('ReceiptTest').implement({
  description: 'One check of a receipt.',
  fields: (t) =>
    shownFields(t, {
      check: text('signature: a key of this gateway signed it. body: it was given for this answer.'),
      passed: flag('Whether the check passed.'),
      note: text.orNull('What is wrong. Null for a passed check.'),
    }),
})

const RerunStatusType = describedEnum('ReceiptRerunStatus', 'How the answer of today compares.', {
  same: 'Every member is the same.',
  same_data:
    'The data are the same. Only `meta` and `_meta` differ, which describe the datasets of that time.',
  different: 'A member of the data differs: `differences` names it.',
  not_run: 'The request was not run again: `reason` says why.',
})

const RerunType = builder.objectRef<Rerun>('ReceiptRerun').implement({
  description: 'The same request, run again as of the instant or the clock of the receipt.',
  fields: (t) =>
    shownFields(t, {
      status: shownAs(RerunStatusType)('same, same_data, different or not_run.'),
      reason: text.orNull('Why the request was not run again. Null if it was.'),
      differences: texts('Paths of the members with other values, at most 20; those of `meta` last.'),
    }),
})

type ReceiptCheck = ReceiptQuery & { readonly compared: Rerun }

const ReceiptCheckType = builder.objectRef<ReceiptCheck>('ReceiptCheck').implement({
  description:
    'Whether a receipt belongs to an answer, and whether the same request gives the same answer again.',
  fields: (t) =>
    shownFields(t, {
      is_valid: t.boolean({
        description: 'Whether all checks passed.',
        resolve: ({ checks }) => checks.every(({ passed }) => passed),
      }),
      checks: t.field({
        type: [ReceiptTestType],
        description: 'The checks. Without a valid signature the answer is not compared.',
        resolve: ({ checks }) => [...checks],
      }),
      receipt: shownAs(ReceiptType).orNull(
        'What the receipt says. Null without a valid signature.',
        'claims',
      ),
      rerun: shownAs(RerunType)('The request, run again.', 'compared'),
    }),
})

queryEndpoint('verify_receipt', {
  summary: 'Verify a receipt and run its request again',
  keywords: ['receipt', 'proof', 'signature', 'same answer', 'audit', 'JWS'],
  description:
    'Checks that this gateway signed a receipt, and that it was given for the answer. Then the request is run again as of the instant or the clock of the receipt, and compared: this needs your scopes, and an operation whose data are unchanged or that takes an instant of knowledge. Costs one unit, plus the price of that request. The header `Prefer: receipt` asks for a receipt. Anyone can check it offline with the keys in /.well-known/jwks.json.',
  access: 'caller',
  cost: 'metered',
  rest: { method: 'POST', path: '/v1/receipts/verify', tag: 'receipts', bodyName: 'ReceiptVerification' },
  type: ReceiptCheckType,
  args: (arg) => ({
    receipt: arg.string({
      required: true,
      description: 'The header X-Receipt: a compact JWS.',
      ...hints({ maxLength: MAX_RECEIPT_CHARACTERS, example: 'eyJhbGciOiJFZERTQSJ9.e30.AA' }),
    }),
    answer: arg.string({
      required: true,
      description: 'The answer exactly as it came, byte for byte.',
      ...hints({ maxLength: MAX_ANSWER_CHARACTERS, example: '{"data":[]}' }),
    }),
  }),
  isVolatile: true,
  check: (args, context) => parseReceiptQuery(args, context),
  rows: ({ rerun }) => 1 + (typeof rerun === 'string' ? 0 : rerun.units),
  rowsPerUnit: 1,
  resolve: async (query) => ({ ...query, compared: await runAgain(query) }),
})
