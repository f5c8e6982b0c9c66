import type { Database } from '../../../src/platform/database/database.js'
import { DAY_MS, END, MACRO_DAYS, REVISED_EACH, type Scale } from './scale.js'

const SERIES = `
  insert into macro_series (series_id, provider, dataset, series_key, country, unit, frequency, is_headline, source)
  select id, 'boj', 'BENCH', 'S' || id, 'JP', 'Yen', 'daily', false, 'bench' from generate_series(1, $1::int) as id`

/** Writes series by series, like a complete history. Values are known at 15:00; one in `REVISED_EACH` is revised a day later. */
const OBSERVATIONS = `
  insert into macro_observation (series_id, period_start, value, known_from, known_to)
  select series_id, day::date, round((100 * random())::numeric, 4), day + version.known_after,
    day + version.replaced_after
  from generate_series($1::timestamptz, $2::timestamptz, interval '1 day') with ordinality as days(day, place)
  cross join generate_series($3::int, $4::int) as series_id
  cross join (values (true, interval '15 hours', interval '39 hours'), (true, interval '39 hours', null),
    (false, interval '15 hours', null)) as version(is_of_revised, known_after, replaced_after)
  where version.is_of_revised = ((place + series_id) % ${REVISED_EACH} = 0)
  order by series_id, day`

/** Two million observations, so that a statement ends within its time limit on a busy machine too. */
const SERIES_PER_STATEMENT = 1_000

export async function fillMacro(database: Database, { macroSeries }: Scale): Promise<void> {
  await database.rows(SERIES, [macroSeries])
  const day = (daysBefore: number) => new Date(END.getTime() - daysBefore * DAY_MS)
  const span = [day(MACRO_DAYS), day(1)]
  for (let first = 1; first <= macroSeries; first += SERIES_PER_STATEMENT) {
    const last = Math.min(first + SERIES_PER_STATEMENT - 1, macroSeries)
    await database.rows(OBSERVATIONS, [...span, first, last])
  }
}
