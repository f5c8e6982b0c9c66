/** Files of a reader of the guide on own files: small, and with the columns that `ingest --help` lists. */
export const GUIDE_FILES: Readonly<Record<string, string>> = {
  'own.csv': 'slug,asset_id,ticker,name,asset_class,currency\npepe,1000001,PEPE,Pepe,crypto,USD\n',
  'supplies.csv': 'slug,supply\npepe,420690000000000\n',
  'actions.csv': 'ticker,action_type,ex_date,ratio\nNVDA,split,2024-06-10,10\n',
  'dividends.csv': 'ticker,ex_date,amount,currency,frequency\nNVDA,2026-03-11,0.01,USD,quarterly\n',
  'holdings.csv':
    'as_of,name,weight,asset_category\n2026-10-30,First,0.6,equity\n2026-10-30,Second,0.4,equity\n',
  'feed.xml': `<rss version="2.0"><channel><title>Example Wire</title><item><title>Bitcoin at a new block</title>
    <link>https://wire.example/1</link><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item></channel></rss>`,
  'monthly.csv': 'Date,Price\n2026-05,4100.500\n2026-06,4228.000\n',
  'eurofxref-hist.csv': 'Date,USD,JPY,\n2026-03-05,1.1618,183.03,\n2026-03-04,1.1649,183.02,\n',
}
