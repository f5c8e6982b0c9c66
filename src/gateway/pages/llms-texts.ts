import { GRAPHQL_PATH, OPERATIONS_PATH } from '../paths.js'
import { type Guide, guidePath, withPublicUrl } from './page-html.js'
import { DOCS_PATH, FULL_OPENAPI_PATH, OPENAPI_PATH } from './page-paths.js'

/** A guide with its Markdown, whose links lead to served guides. */
export interface MarkdownGuide extends Guide {
  readonly markdown: string
}

const SUMMARY = `# Market data gateway

> Market data by GraphQL, REST and the Model Context Protocol: prices of crypto assets, exchange rates, macro series, stocks, ETFs,
> commodities, AI analyses with history, on-chain figures and sanctions screening. Every answer states its freshness and sources, and
> \`as_of\` returns what was known at an instant, \`release\` what a signed release of files knows. Data with
> \`is_dev_dataset: true\` are synthetic.`

/** Text of /llms.txt (llmstxt.org): what the gateway is, and links to its interfaces and guides. */
export function llmsIndex(guides: readonly MarkdownGuide[], publicUrl: string): string {
  const link = (title: string, path: string, text: string) => `- [${title}](${publicUrl}${path}): ${text}`
  return [
    SUMMARY,
    '',
    '## Interfaces',
    '',
    link(
      'Tools for agents',
      '/mcp',
      'Model Context Protocol over streamable HTTP; begin with the tool `search`',
    ),
    link('REST', OPENAPI_PATH, 'OpenAPI document of all routes; `x-keywords` has the words people use'),
    link('REST for generated clients', FULL_OPENAPI_PATH, 'the same, with each file format as an operation'),
    link('GraphQL', GRAPHQL_PATH, 'one endpoint for nested selections, by POST'),
    link('Operations', OPERATIONS_PATH, 'the GraphQL operation of each REST route, with example variables'),
    link('Reference', DOCS_PATH, 'REST documentation for people'),
    '',
    '## Guides',
    '',
    ...guides.map((guide) => link(guide.title, guidePath(guide), introductionOf(guide))),
    '',
    '## Optional',
    '',
    link('All guides in one text', '/llms-full.txt', 'Markdown'),
    '',
  ].join('\n')
}

/** Text of /llms-full.txt: all guides as Markdown. Their examples call `publicUrl`. */
export function llmsFull(guides: readonly MarkdownGuide[], publicUrl: string): string {
  const texts = guides.map(({ markdown }) => markdown.replaceAll('](/', `](${publicUrl}/`).trim())
  return `${withPublicUrl([SUMMARY, ...texts].join('\n\n'), publicUrl)}\n`
}

/** The first paragraph of a guide on one line: whom it is for and what they will be able to do. */
function introductionOf({ markdown }: MarkdownGuide): string {
  const [, paragraph = ''] = markdown.split('\n\n')
  return paragraph.replaceAll('\n', ' ')
}
