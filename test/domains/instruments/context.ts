import type { Ticker } from '../../../src/core/identifiers.js'
import {
  type IdentifierService,
  identifierService,
  type ResolvedInstrument,
} from '../../../src/domains/instruments/model.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { bindPorts } from '../../../src/platform/request/ports.js'
import type { RequestContext } from '../../../src/platform/request/request-context.js'
import { ANONYMOUS } from '../../../src/policy/principal.js'

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
  return {
    principal: ANONYMOUS,
    database,
    now,
    requestId: 'test',
    log: createLogger('silent'),
    ports: bindPorts([{ port: identifierService, implementation: service }]),
    datasets: new Map(),
    origin: 'test',
    idempotencyKey: null,
  }
}
