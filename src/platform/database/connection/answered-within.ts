import { ApiError } from '../../../core/errors.js'
import { DATABASE_PART } from './connection-loss.js'

/** The answer. Throws `service_unavailable` when it does not come in time. */
export async function answeredWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const late = () =>
      reject(
        new ApiError('service_unavailable', {
          part: DATABASE_PART,
          cause: new Error(`no answer in ${ms} ms`),
        }),
      )
    timer = setTimeout(late, ms)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}
