export const QUEUE_IS_FULL = 'too many statements wait for a connection'
export const NONE_IS_FREE = 'no connection became free in time'
export const NOT_CONNECTED = 'no connection was made in time'
export const POOL_IS_CLOSED = 'the pool is closed'

/** Texts of the errors of a pool that has no connection to give. */
export const POOL_REFUSALS = [QUEUE_IS_FULL, NONE_IS_FREE, NOT_CONNECTED, POOL_IS_CLOSED] as const
