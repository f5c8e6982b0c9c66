import type { IncomingHttpHeaders } from 'node:http'
import { type Listening, listen } from './sockets.js'

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code: number }
}

export interface ReceivedMetric {
  readonly name: string
  readonly sum?: { readonly dataPoints: readonly ReceivedPoint[]; readonly isMonotonic: boolean }
  readonly gauge?: { readonly dataPoints: readonly ReceivedPoint[] }
  readonly histogram?: { readonly dataPoints: readonly ReceivedPoint[] }
}

export interface ReceivedPoint {
  readonly attributes: readonly Attribute[]
  readonly asDouble?: number
  readonly count?: number
  readonly sum?: number
  readonly bucketCounts?: readonly number[]
  readonly explicitBounds?: readonly number[]
}

interface TraceBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[]
  }[]
}

interface MetricBody {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly ReceivedMetric[] }[]
  }[]
}

/** A collector that takes OTLP/HTTP with JSON. */
export interface OtlpReceiver {
  readonly url: string
  /** Bodies as they came. */
  readonly texts: readonly string[]
  readonly headers: readonly IncomingHttpHeaders[]
  spans(): readonly ReceivedSpan[]
  metrics(): readonly ReceivedMetric[]
  close(): Promise<void>
}

interface ReceiverOptions {
  /** It takes what is sent, and never answers. */
  readonly isSilent?: boolean
  /** Whether a request with these headers may send; any other is a 401. */
  readonly isAllowed?: (headers: IncomingHttpHeaders) => boolean
}

export async function startOtlpReceiver({
  isSilent = false,
  isAllowed = () => true,
}: ReceiverOptions = {}): Promise<OtlpReceiver> {
  const texts: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server: Listening = await listen((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    request.on('end', () => {
      if (!isAllowed(request.headers)) return void response.writeHead(401).end()
      texts.push(text)
      headers.push(request.headers)
      if (!isSilent) response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  const bodies = () => texts.map((text) => JSON.parse(text) as Partial<TraceBody & MetricBody>) // the protocol's JSON
  return {
    url: server.url,
    texts,
    headers,
    spans: () =>
      bodies().flatMap(({ resourceSpans = [] }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    metrics: () =>
      bodies().flatMap(({ resourceMetrics = [] }) =>
        resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
      ),
    close: () => server.close(),
  }
}

/** The attribute's value, of whatever type; undefined where there is none. */
export function attributeOf(
  { attributes }: { readonly attributes: readonly Attribute[] },
  name: string,
): unknown {
  const found = attributes.find(({ key }) => key === name)
  return found && Object.values(found.value)[0]
}
