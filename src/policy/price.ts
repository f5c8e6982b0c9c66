/** What one root field costs; several of one name are listed one by one. */
export interface FieldPrice {
  readonly field: string
  readonly units: number
}

/** What a request is charged. */
export interface Price {
  /** By root field; a field that is free is left out. */
  readonly fields: readonly FieldPrice[]
  /** Sum over the fields. */
  readonly units: number
  /** Calls of discover among them, which a window of their own bounds too. */
  readonly discovers: number
  /** The most values (rows times fields) that the answer can hold, shown beside the cost; GraphQL only. */
  readonly values?: number
}

export const FREE: Price = { fields: [], units: 0, discovers: 0 }

/** What a request was charged and where that leaves the caller: `extensions.cost`. */
export interface Cost {
  readonly charged: number
  /** Units left in the tightest window. */
  readonly remaining: number
  /** Only for a dry run: what the request would be charged. */
  readonly price?: number
  /** The most values (rows times fields) that the answer could hold; GraphQL only. */
  readonly values?: number
  /** And the most that any operation may. */
  readonly values_limit?: number
}
