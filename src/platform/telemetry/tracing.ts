import { AsyncLocalStorage } from 'node:async_hooks'
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api'
import type { OpenTelemetry } from './opentelemetry.js'

/** Version, trace id, parent id, flags (W3C Trace Context, level 1); zeros are not ids. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

const SAMPLED = 1

/** The name and attributes of a span. They contain the gateway's own names and figures, never a value of a caller. */
export interface SpanDescription {
  readonly name: string
  readonly attributes: Attributes
}

/** Creates the spans of a process. Nested work finds its parent span through async context. */
export class Tracing {
  readonly #library: OpenTelemetry
  readonly #tracer: Tracer
  readonly #active = new AsyncLocalStorage<Span>()

  constructor(library: OpenTelemetry, tracer: Tracer) {
    this.#library = library
    this.#tracer = tracer
  }

  /** Runs work for a caller, in the trace that its `traceparent` names, else in a new trace. */
  request<T>(traceparent: string | null, work: () => Promise<T>): Promise<T> {
    const context = this.#contextOf(traceparent)
    const description = { name: 'request', attributes: {} }
    return this.#run(description, this.#library.SpanKind.SERVER, context, work)
  }

  /** Runs work in a new trace. */
  root<T>(description: SpanDescription, work: () => Promise<T>): Promise<T> {
    return this.#run(description, this.#library.SpanKind.INTERNAL, this.#library.ROOT_CONTEXT, work)
  }

  /** Runs a call to another system, as a child of the current span. Without a current span, creates none. */
  call<T>(description: SpanDescription, work: () => Promise<T>): Promise<T> {
    const parent = this.#active.getStore()
    if (parent === undefined) return work()
    const { ROOT_CONTEXT, SpanKind, trace } = this.#library
    return this.#run(description, SpanKind.CLIENT, trace.setSpan(ROOT_CONTEXT, parent), work)
  }

  /** Names the current span. */
  describe({ name, attributes }: SpanDescription): void {
    this.#active.getStore()?.updateName(name).setAttributes(attributes)
  }

  /** Marks the current span as failed, for a failure that throws no error. */
  fail(): void {
    this.#active.getStore()?.setStatus({ code: this.#library.SpanStatusCode.ERROR })
  }

  /** Id of the current trace; null outside a trace. */
  traceId(): string | null {
    return this.#active.getStore()?.spanContext().traceId ?? null
  }

  /** The `traceparent` header of the current span; null outside a trace. */
  traceparent(): string | null {
    const span = this.#active.getStore()
    if (span === undefined) return null
    const { traceId, spanId, traceFlags } = span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  async #run<T>(
    description: SpanDescription,
    kind: number,
    context: Context,
    work: () => Promise<T>,
  ): Promise<T> {
    const { name, attributes } = description
    const span = this.#tracer.startSpan(name, { kind, attributes }, context)
    try {
      return await this.#active.run(span, work)
    } catch (error) {
      // The message of an error may contain values of a caller.
      span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
      span.setStatus({ code: this.#library.SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }

  #contextOf(traceparent: string | null): Context {
    const { ROOT_CONTEXT, trace } = this.#library
    const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
    if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
    const traceFlags = Number.parseInt(flags, 16) & SAMPLED
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
  }
}
