import type { Ticker } from '../../../src/core/identifiers.js'
import { countersPort } from '../../../src/domains/access/model.js'
import {
  type IdentifierService,
  identifierService,
  type ResolvedInstrument,
} from '../../../src/domains/instruments/discovery/identifier-service-model.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { MemoryCounters } from '../../../src/platform/quota/memory-counters.js'
import { bindPorts } from '../../../src/platform/request/ports.js'
import type { RequestContext } from '../../../src/platform/request/request-context.js'
import type { Caller } from '../../../src/policy/principal.js'

const CALLER: Caller = {
  ...{ kind: 'key', accountId: 'account', meterId: 'account', keyId: 'key', tier: 'pro' },
  ...{ scopes: new Set(), isNarrowed: false, endsAt: null, contract: null },
}

/** An identifier service whose answers the test decides; notes what it was asked. */
export class PlayedService implements IdentifierService {
  readonly source = 'played'
  readonly asked: Ticker[] = []
  readonly #answer: (ticker: Ticker) => Promise<ResolvedInstrument | null>

  constructor(answer: (ticker: Ticker) => Promise<ResolvedInstrument | null>) {
    this.#answer = answer
  }

  resolve(ticker: Ticker): Promise<ResolvedInstrument | null> {
    this.asked.push(ticker)
    return this.#answer(ticker)
  }
}

/** The context of one request on a real database. */
export function requestOn(database: Database, service: IdentifierService, now: Date): RequestContext {
  const log = createLogger('silent')
  return {
    principal: CALLER,
    database,
    now,
    requestId: 'test',
    log,
    ports: bindPorts([
      { port: identifierService, implementation: service },
      { port: countersPort, implementation: new MemoryCounters(database, log) },
    ]),
    datasets: new Map(),
    clientAddress: 'test',
    idempotencyKey: null,
  }
}
