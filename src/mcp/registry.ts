import { inputSchemaOf, type JsonSchema, outputSchemaOf } from './schema.ts'
import type { Tool } from './tool.ts'

/** How far a filter opens a tool: not at all, its reading actions only, or whole. */
export type Access = 'closed' | 'read' | 'open'

/** The tools that one connection (or request) may see. */
export interface ToolSet {
  open(): { tool: Tool; access: Access }[]
  find(name: string): { tool: Tool; access: Access } | undefined
  /** Told when other tools are open than before; absent where that never happens. @returns what ends it */
  onChange?(listener: () => void): () => void
}

export function toolSet(tools: readonly Tool[], accessOf: (name: string) => Access): ToolSet {
  const opened = tools
    .map((tool) => ({ tool, access: accessOf(tool.name) }))
    .filter((entry) => entry.access !== 'closed')
  const byName = new Map(opened.map((entry) => [entry.tool.name, entry]))
  return { open: () => opened, find: (name) => byName.get(name) }
}

export interface ToolDescription {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema: JsonSchema
  annotations: Record<string, boolean>
}

const described = new Map<string, ToolDescription>()

/** A tool as `tools/list` shows it; where only its reading actions are open, the others are not in its schema. */
export function describeTool(tool: Tool, access: Access): ToolDescription {
  const key = `${tool.name} ${access}`
  let found = described.get(key)
  if (!found) {
    found = buildDescription(tool, access)
    described.set(key, found)
  }
  return found
}

function buildDescription(tool: Tool, access: Access): ToolDescription {
  const mixed = typeof tool.access === 'string' ? undefined : tool.access
  const readOnly = tool.access === 'read' || (mixed !== undefined && access === 'read')
  const {
    destructive = false,
    idempotent = tool.access === 'read',
    openWorld = false,
  } = tool.annotations ?? {}
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema:
      mixed && access === 'read'
        ? onlyReads(inputSchemaOf(tool.input), mixed.reads)
        : inputSchemaOf(tool.input),
    outputSchema: outputSchemaOf(tool.output),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: destructive && !readOnly,
      idempotentHint: idempotent || readOnly,
      openWorldHint: openWorld,
    },
  }
}

function onlyReads(schema: JsonSchema, reads: readonly string[]): JsonSchema {
  const action = schema.properties?.action
  if (!action) return schema
  return { ...schema, properties: { ...schema.properties, action: { ...action, enum: [...reads] } } }
}
