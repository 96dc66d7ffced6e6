import { z } from 'zod'

/** The part of JSON Schema 2020-12 that our tools use. */
export interface JsonSchema {
  type?: string | string[]
  description?: string
  default?: unknown
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  anyOf?: JsonSchema[]
}

/** What clients are shown of a tool's arguments: the zod object without what costs a model words and says nothing. */
export function inputSchemaOf(shape: z.ZodObject): JsonSchema {
  return slim(z.toJSONSchema(shape, { io: 'input' }) as JsonSchema)
}

export function outputSchemaOf(shape: z.ZodObject): JsonSchema {
  return slim(z.toJSONSchema(shape, { io: 'output' }) as JsonSchema)
}

const SAFE = Number.MAX_SAFE_INTEGER

function slim(schema: JsonSchema): JsonSchema {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$schema' || key === 'propertyNames') continue
    if ((key === 'minimum' && value === -SAFE) || (key === 'maximum' && value === SAFE)) continue
    if (key === 'additionalProperties' && isEmptyObject(value)) continue
    // A switch that is not given is off: saying so thirty times costs every conversation half a kilobyte.
    if (key === 'default' && value === false) continue
    out[key] = slimValue(key, value)
  }
  return out as JsonSchema
}

function slimValue(key: string, value: unknown): unknown {
  if (key === 'default' || key === 'enum' || key === 'const') return value
  if (Array.isArray(value)) return value.map((v) => (isObject(v) ? slim(v as JsonSchema) : v))
  if (!isObject(value)) return value
  if (key !== 'properties') return slim(value as JsonSchema)
  return Object.fromEntries(Object.entries(value).map(([name, s]) => [name, slim(s as JsonSchema)]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}
