import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, NoObjectGeneratedError, NoOutputGeneratedError, Output, TypeValidationError } from 'ai'
import { z } from 'zod'
import type { SnapshotContent } from '../../../../domains/analysis/model.js'
import type { HttpClient } from '../../../../platform/http-client/http-client.js'
import type { Logger } from '../../../../platform/logger.js'
import {
  type AnalysisGenerator,
  type AnalysisInput,
  DroppedAnalysis,
  type GeneratedAnalysis,
} from '../generator.js'
import type { Findings } from '../rules/findings.js'
import { computeFindings, methodologyVersionOf, NEWEST_METHOD } from '../rules/rules.js'
import { findForbidden } from './forbidden-words.js'
import { figuresText, type Prompt, promptOf } from './prompts.js'

/** An OpenAI-compatible chat-completions endpoint. */
export interface LlmEndpoint {
  /** The URL without /chat/completions. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly modelId: string
}

export interface LlmDeps {
  readonly endpoint: LlmEndpoint
  readonly http: HttpClient
  readonly log: Pick<Logger, 'warn'>
  /** Time limit of one call with its transport retries. */
  readonly timeoutMs?: number
}

/** Retries after an answer that may not be stored. */
const RETRIES = 2

/** Retries without an answer. A retry is safe, because a request has no effect at the endpoint. */
const TRANSPORT_RETRIES = 1

const TIMEOUT_MS = 60_000

/** Far more than a summary with its envelope. */
const MAX_BYTES = 1_000_000

/** Enough for a summary of three sentences and the reasoning tokens of a model. */
const MAX_OUTPUT_TOKENS = 4_000

const MAX_SUMMARY = 1_000

/** Parallel calls, few because the endpoint may be shared. */
const CONCURRENCY = 4

const MAX_MODEL_ID = 100

/** Neither control characters nor halves of surrogate pairs, which no text column takes. */
const PLAIN_TEXT = /^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u

const Answer = z.strictObject({
  summary: z.string().trim().min(1).max(MAX_SUMMARY).regex(PLAIN_TEXT),
  sentiment_score: z.number().min(-1).max(1).nullable(),
})

type Try =
  | {
      readonly kind: 'good'
      readonly answer: z.infer<typeof Answer>
      readonly modelId: string
      readonly tokens: Tokens
    }
  | { readonly kind: 'bad'; readonly reason: string }

interface Tokens {
  readonly input: number | null
  readonly output: number | null
}

/**
 * A generator whose texts a language model writes. The rules compute the figures; the model gets them and returns a
 * summary and a score, so it cannot invent a signal. If an answer has the wrong form or a forbidden statement, the
 * model gets two more attempts, and then DroppedAnalysis is thrown. Token counts are those of the accepted answer.
 * Throws UpstreamError or the SDK's error if the endpoint does not answer.
 */
export function createLlmGenerator(deps: LlmDeps): AnalysisGenerator {
  const { endpoint, log } = deps
  const provider = createOpenAICompatible({
    name: 'llm',
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.apiKey,
    supportsStructuredOutputs: true,
    fetch: fetchThrough(deps.http, deps.timeoutMs ?? TIMEOUT_MS),
  })
  const model = provider.chatModel(endpoint.modelId)
  return {
    modelId: endpoint.modelId,
    promptVersionOf: (type, isListed) => promptOf(type, isListed).version,
    concurrency: CONCURRENCY,
    generate: async (input) => {
      const findings = computeFindings(input, NEWEST_METHOD)
      const prompt = promptOf(input.analysisType, input.listed !== undefined)
      const facts = figuresText(input, findings)
      for (let attempt = 1; ; attempt++) {
        const result = await ask(model, prompt, facts, endpoint.modelId)
        if (result.kind === 'good') return analysisOf(input, findings, prompt, result)
        const { analysisType, asset } = input
        log.warn(
          { asset: asset.slug, analysisType, attempt, reason: result.reason },
          'the answer was rejected',
        )
        if (attempt > RETRIES) throw new DroppedAnalysis(`dropped after ${attempt} answers: ${result.reason}`)
      }
    },
  }
}

async function ask(
  model: ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>,
  prompt: Prompt,
  facts: string,
  configuredModel: string,
): Promise<Try> {
  try {
    const { output, usage, response, finishReason } = await generateText({
      model,
      system: prompt.system,
      prompt: facts,
      output: Output.object({ schema: Answer, name: 'analysis' }),
      temperature: 0,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      maxRetries: 0, // the HTTP client retries
    })
    if (finishReason === 'length') return { kind: 'bad', reason: 'the answer was cut off' }
    const forbidden = findForbidden(output.summary)
    if (forbidden !== null) {
      return {
        kind: 'bad',
        reason: `the answer holds a ${forbidden.kind}: ${JSON.stringify(forbidden.words)}`,
      }
    }
    const named = response.modelId
    return {
      kind: 'good',
      answer: output,
      modelId: named.length > 0 && named.length <= MAX_MODEL_ID ? named : configuredModel,
      tokens: { input: usage.inputTokens ?? null, output: usage.outputTokens ?? null },
    }
  } catch (error) {
    if (!isBadAnswer(error)) throw error
    return { kind: 'bad', reason: 'the answer is not of the form asked for' }
  }
}

function isBadAnswer(error: unknown): boolean {
  return (
    NoObjectGeneratedError.isInstance(error) ||
    NoOutputGeneratedError.isInstance(error) ||
    TypeValidationError.isInstance(error)
  )
}

function analysisOf(
  input: AnalysisInput,
  findings: Findings,
  prompt: Prompt,
  { answer, modelId, tokens }: Extract<Try, { kind: 'good' }>,
): GeneratedAnalysis {
  const { signals, aaoifi, window } = findings
  const isScored = input.analysisType !== 'halal_analysis'
  const content: SnapshotContent = {
    summary: answer.summary,
    sentiment_score: isScored ? answer.sentiment_score : null,
    signals,
    ...(aaoifi === undefined ? {} : { aaoifi }),
  }
  return {
    content,
    modelId,
    methodologyVersion: methodologyVersionOf(input, NEWEST_METHOD),
    promptVersion: prompt.version,
    promptHash: prompt.hash,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    dataWindowFrom: window?.from ?? null,
    dataWindowTo: window?.to ?? null,
    dataLineage: input.lineage,
  }
}

/**
 * Sends the SDK's calls through the HTTP client: bounded in time and size, with a circuit breaker per host, without
 * keys in the log.
 */
function fetchThrough(http: HttpClient, timeoutMs: number): typeof fetch {
  return async (input, init) => {
    const { status, headers, body } = await http.request({
      url: input instanceof Request ? input.url : String(input),
      method: init?.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof init?.body === 'string' ? { body: init.body } : {}),
      timeoutMs,
      maxBytes: MAX_BYTES,
      retries: TRANSPORT_RETRIES,
      ...(init?.signal ? { signal: init.signal } : {}),
    })
    // The body is already unpacked, so its original length and encoding no longer apply.
    const kept = new Headers(headers)
    kept.delete('content-encoding')
    kept.delete('content-length')
    return new Response(Buffer.from(body), { status, headers: kept })
  }
}
