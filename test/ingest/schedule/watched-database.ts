import type { Database } from '../../../src/platform/database/database.js'

/** The database, with each call given to `during`: statements, transactions and those of Prisma's client. */
export function watchedDatabase(
  database: Database,
  during: <Result>(work: Promise<Result>) => Promise<Result>,
): Database {
  return {
    ...database,
    rows: (...given) => during(database.rows(...given)),
    transaction: (...given) => during(database.transaction(...given)),
    prisma: watchedPrisma(database.prisma, during),
  }
}

type Method = (...given: readonly unknown[]) => Promise<unknown>

function watchedPrisma(
  prisma: Database['prisma'],
  during: <Result>(work: Promise<Result>) => Promise<Result>,
): Database['prisma'] {
  return new Proxy(prisma, {
    get: (models, name) => {
      const model = Reflect.get(models, name) as object
      return new Proxy(model, {
        get: (methods, method) => {
          const call = Reflect.get(methods, method) as Method
          return (...given: readonly unknown[]) => during(Promise.resolve(call.apply(methods, [...given])))
        },
      })
    },
  })
}
