import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { type Catalogue, chooseAny, get, graphql, type Question, type QuestionKind } from './question.js'

/** Far above the limit of a body. */
const LARGE_BYTES = 2 ** 21

/** Mistakes of clients, each time a new one, so that a leak of remembered errors would show. */
export function badQuestions({ slugs }: Catalogue): readonly QuestionKind[] {
  const unknown = () => randomUUID()
  return [
    { weight: 2, make: () => refused(get('unknown route', `/v1/${unknown()}`), 404) },
    { weight: 2, make: () => refused(get('unknown asset', `/v1/assets/${unknown()}`), 404) },
    {
      weight: 2,
      make: () => refused(get('wrong argument', '/v1/forex', { quote: unknown(), from: unknown() }), 422),
    },
    {
      weight: 2,
      make: () =>
        refused(get('unknown parameter', `/v1/assets/${chooseAny(slugs)}`, { [unknown()]: 1 }), 422),
    },
    { weight: 2, make: () => withKey(refused(get('wrong key', '/v1/assets'), 401)) },
    { weight: 1, make: () => refused({ ...get('wrong method', '/v1/assets'), method: 'DELETE' }, 405) },
    { weight: 2, make: () => refused(graphql('unknown field', `{ f${randomInt(2 ** 40)} }`), 400) },
    { weight: 2, make: () => refused(graphql('no GraphQL', `{ ${randomBytes(12).toString('base64')}`), 400) },
    {
      weight: 1,
      make: () => refused({ ...graphql('no JSON', ''), body: `{ "query": ${unknown()}` }, 400),
    },
    {
      weight: 0.2,
      make: () => refused(graphql('large body', `{ ${' '.repeat(LARGE_BYTES)} }`), 413),
    },
  ]
}

/** A rejected request. For GraphQL it uses the media type with HTTP statuses. */
function refused(question: Question, status: number): Question {
  const accept = 'application/graphql-response+json, application/json'
  return { ...question, headers: { ...question.headers, accept }, statuses: [status] }
}

function withKey(question: Question): Question {
  const key = `mdg_live_${randomBytes(24).toString('base64url')}`
  return { ...question, headers: { ...question.headers, 'x-api-key': key } }
}
