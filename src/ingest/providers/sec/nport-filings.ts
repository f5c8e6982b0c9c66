import { parseIsoDate } from '../../../core/time.js'
import { oneChunk } from '../../bodies/chunks.js'
import { withoutLeadingBlanks } from '../../bodies/without-leading-blanks.js'
import { xmlTags } from '../../bodies/xml-tags.js'
import { BrokenBody, type FeedRequest } from '../../feed.js'
import { ACCESSION } from './fact.js'
import type { NportFiling } from './nport.js'
import { secRequest } from './request.js'

/** The most filings of a series that are checked: the newest quarters and their amendments. */
const FILINGS_PER_SERIES = 10

/** The newest N-PORT filings of a series as an Atom feed. */
export function filingsRequest(seriesId: string): FeedRequest {
  const query = `action=getcompany&CIK=${seriesId}&type=NPORT-P&count=${FILINGS_PER_SERIES}&output=atom`
  return secRequest(`https://www.sec.gov/cgi-bin/browse-edgar?${query}`, 'application/atom+xml')
}

const DOCUMENTS = /^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/\d{1,10}\/\d{18}\//

/** The filings of such a feed, oldest first. Throws BrokenBody. */
export async function parseFilings(body: Uint8Array): Promise<readonly NportFiling[]> {
  const filings = new Map<string, NportFiling>()
  let entry: Readonly<Record<string, string>> = {}
  let isFeed = false
  try {
    for await (const tag of xmlTags(withoutLeadingBlanks(oneChunk(body)))) {
      if (tag.kind === 'cut') throw new BrokenBody('the list of filings is cut off')
      if (tag.kind === 'open') {
        if (!isFeed && tag.name !== 'feed') throw notAtom()
        isFeed = true
        if (tag.name === 'entry') entry = {}
        continue
      }
      if (tag.name !== 'entry') {
        entry = { ...entry, [tag.name]: tag.text.trim() }
        continue
      }
      const filing = filingOf(entry)
      if (filing !== null) filings.set(filing.accession, filing)
    }
  } catch (error) {
    throw error instanceof BrokenBody && !isFeed ? notAtom() : error
  }
  return [...filings.values()].sort(
    (a, b) => a.publishedAt.getTime() - b.publishedAt.getTime() || (a.accession < b.accession ? -1 : 1),
  )
}

/** Null for an entry that is not an N-PORT filing. */
function filingOf(entry: Readonly<Record<string, string>>): NportFiling | null {
  const accession = entry['accession-number'] ?? ''
  const day = parseIsoDate(entry['filing-date'] ?? '')
  const [directory] = DOCUMENTS.exec(entry['filing-href'] ?? '') ?? []
  const form = /^NPORT-P(\/A)?$/.exec(entry['filing-type'] ?? '')
  if (form === null || day === null || directory === undefined || !ACCESSION.test(accession)) return null
  const publishedAt = new Date(`${day}T00:00:00Z`)
  return { accession, publishedAt, isAmendment: form[1] !== undefined, url: `${directory}primary_doc.xml` }
}

function notAtom(): BrokenBody {
  return new BrokenBody('the list of filings is not an Atom feed')
}
