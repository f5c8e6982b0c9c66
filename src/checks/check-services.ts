import { tmpdir } from 'node:os'
import { failureText } from '../core/failure-text.js'
import { createHttpClient } from '../platform/http-client/http-client.js'
import { createLogger } from '../platform/logger.js'
import { checkMailServer } from '../platform/mail/mail-transport.js'
import { S3Bucket } from '../platform/object-store/s3-bucket.js'
import { VERSION } from '../platform/version.js'
import type { ConfigurationWorld } from './check.js'
import { checkDirectory } from './check-disk.js'
import { type Finding, off, ok, problem, warning } from './finding.js'

const ANSWER_MS = 5_000

/** Checks whether the mail server accepts a connection and the password. It sends nothing. */
export async function checkMail({ config }: ConfigurationWorld): Promise<readonly Finding[]> {
  if (config.newsletter === null) return [off('mail', 'SMTP_URL is not set: no mail is sent', 'set SMTP_URL')]
  const { server } = config.newsletter
  const name = `${server.host}:${server.port}`
  const fault = await checkMailServer(server, ANSWER_MS)
  if (fault === null) return [ok('mail', `${name} accepts mails`)]
  return [
    problem(
      'mail',
      `the mail server ${name} cannot be used (${fault}); mails wait`,
      'check SMTP_URL: host, port, user and password',
    ),
  ]
}

/** Checks whether the bucket of the releases can be listed. */
export async function checkBucket({ config }: ConfigurationWorld): Promise<readonly Finding[]> {
  const { bucket: target } = config.releases
  if (target === null)
    return [
      off(
        'bucket',
        'RELEASES_LOCATION names no bucket: releases are in a directory',
        'set RELEASES_LOCATION to s3://bucket/prefix',
      ),
    ]
  const bucket = new S3Bucket(target, { timeoutMs: ANSWER_MS, attempts: 1 })
  try {
    for await (const _ of bucket.list('')) break
    return [ok('bucket', `${bucket.placeOf('')} can be listed`)]
  } catch (error) {
    const advice =
      'check RELEASES_LOCATION, AWS_REGION, AWS_ENDPOINT_URL and the credentials of AWS; requests for releases fail'
    return [problem('bucket', failureText(error), advice)]
  }
}

/** Checks whether the endpoint of the language model answers, knows the key and lists the model. */
export async function checkModel({ config }: ConfigurationWorld): Promise<readonly Finding[]> {
  if (config.languageModel === null)
    return [
      off(
        'model',
        'AI_BASE_URL is not set: rules write the texts',
        'set AI_BASE_URL, AI_API_KEY and AI_MODEL',
      ),
    ]
  const { baseUrl, apiKey, modelId } = config.languageModel
  const { host } = new URL(baseUrl)
  const fault = (reason: string) =>
    problem(
      'model',
      `the language model at ${host} cannot be used: ${reason}`,
      'check AI_BASE_URL and AI_API_KEY; rules write the texts meanwhile',
    )
  try {
    const client = createHttpClient({
      log: createLogger('silent'), // the finding has the failure
      userAgent: `market-data-gateway/${VERSION}`,
    })
    const { status, body } = await client.request({
      ...{ url: `${baseUrl}/models`, headers: { authorization: `Bearer ${apiKey}` }, refusesRedirects: true },
      ...{ timeoutMs: ANSWER_MS, maxBytes: MAX_LIST_BYTES, retries: 0 },
    })
    if (status === 401 || status === 403) return [fault(`status ${status}`)]
    const isListed = Buffer.from(body).includes(JSON.stringify(modelId))
    if (status !== 200 || isListed) return [ok('model', `${host} answers`)]
    return [warning('model', `${host} answers, but does not list ${modelId}`, 'correct AI_MODEL')]
  } catch (error) {
    return [fault(failureText(error))]
  }
}

/** A list of models is shorter. */
const MAX_LIST_BYTES = 10_000_000

/** Checks the space where this process writes: the embedded database, releases, and temporary files. */
export async function checkDisk({ config }: ConfigurationWorld): Promise<readonly Finding[]> {
  const directories = [
    ...(config.databaseUrl === null ? [config.dataDir] : []),
    ...(config.releases.bucket === null && !config.releases.directory.startsWith(config.dataDir)
      ? [config.releases.directory]
      : []),
    ...(config.databaseUrl === null ? [] : [tmpdir()]),
  ]
  return Promise.all(directories.map(checkDirectory))
}
