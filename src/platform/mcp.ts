import type * as McpServer from '@modelcontextprotocol/sdk/server/index.js'
import type * as McpTransport from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type * as McpTypes from '@modelcontextprotocol/sdk/types.js'

/** What the gateway uses of the SDK of the Model Context Protocol, made by scripts/bundled-modules.mjs. */
export type McpModule = Pick<typeof McpServer, 'Server'> &
  Pick<typeof McpTransport, 'WebStandardStreamableHTTPServerTransport'> &
  Pick<typeof McpTypes, 'CallToolRequestSchema' | 'ListToolsRequestSchema'>

export type McpTool = McpTypes.Tool
export type McpToolResult = McpTypes.CallToolResult

/** Read when an agent asks for the first time, not at the start of the process. */
export async function loadMcp(): Promise<McpModule> {
  // The module has no types of its own.
  return (await import('../generated/mcp/mcp.js')) as unknown as McpModule
}
