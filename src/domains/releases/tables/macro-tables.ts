import type { MacroProvider } from '../../../core/providers.js'
import { MACRO_PROVIDERS } from '../../macro/model.js'
import { type ReleaseTable, releaseColumn } from './release-table.js'

const { date, flag, number, text } = releaseColumn

// Daily series follow the holidays of their provider, which are not known, so that no days are expected of them.
const STEP = `case frequency when 'annual' then interval '12 months' when 'semi_annual' then interval '6 months'
  when 'quarterly' then interval '3 months' when 'monthly' then interval '1 month' when 'weekly' then interval '7 days' end`

function observationsOf(provider: MacroProvider): ReleaseTable {
  return {
    dataset: provider,
    partOf: provider,
    table: `(select s.dataset, s.series_key, s.country, s.unit, s.frequency, s.source, o.*
      from macro_observation as o join macro_series as s using (series_id) where s.provider = '${provider}')`,
    columns: [
      text('dataset', `Dataset of the provider.`),
      text('series_key', 'Series within its dataset.'),
      text('country', `Country or group of countries, by the provider's code; null if the series has none.`),
      text('unit', 'Unit of the values, e.g. %_GDP; null if the provider does not say.'),
      text('frequency', 'Length of the periods.'),
      date('period_start', 'First day of the period.'),
      number('value', 'unit of the row', 'Null if the provider lists the period without a value.'),
      text('note', 'What the provider says about the value, e.g. P: preliminary; null if nothing.'),
      flag('is_withdrawn', 'The provider no longer lists the period.'),
    ],
    key: ['t.dataset collate "C"', 't.series_key collate "C"', 't.period_start'],
    period: { column: 'period_start', type: 'date' },
    expected: {
      series: `dataset || ' ' || series_key`,
      step: STEP,
      isPresent: 'value is not null and not is_withdrawn',
    },
  }
}

/** Observations of the series of each statistical provider. */
export const MACRO_TABLES: readonly ReleaseTable[] = MACRO_PROVIDERS.map(observationsOf)
