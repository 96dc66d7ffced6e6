import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerCapabilities,
} from '@modelcontextprotocol/server'
import type { Subscriptions } from './announce.ts'
import { complete } from './completion.ts'
import { getPrompt, listPrompts, offersPrompts } from './prompts.ts'
import {
  listResources,
  listTemplates,
  offersResources,
  type ResourceView,
  readResource,
} from './resources.ts'

/** What a server can do beside tools, as far as the open tools show the same. */
export function extraCapabilities(view: ResourceView): ServerCapabilities {
  const [resources, prompts] = [offersResources(view), offersPrompts(view)]
  return {
    ...(resources ? { resources: { subscribe: true, listChanged: true } } : {}),
    ...(prompts ? { prompts: {} } : {}),
    ...(resources || prompts ? { completions: {} } : {}),
  }
}

export function addResources(server: Server, view: ResourceView, subscriptions: Subscriptions): void {
  if (!offersResources(view)) return
  const open = () => {
    if (!offersResources(view))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Reading is closed here.')
    return view
  }
  server.setRequestHandler(
    'resources/list',
    async ({ params }) => await listResources(open(), params?.cursor),
  )
  server.setRequestHandler('resources/templates/list', async () => listTemplates(open()))
  server.setRequestHandler('resources/read', async ({ params }) => await readResource(open(), params.uri))
  server.setRequestHandler('resources/subscribe', async ({ params }) => {
    open()
    if (subscriptions.add(params.uri)) return {}
    throw new ResourceNotFoundError(params.uri, `There is no resource ${params.uri}.`)
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    subscriptions.remove(params.uri)
    return {}
  })
}

export function addPrompts(server: Server, view: ResourceView): void {
  if (offersPrompts(view)) {
    server.setRequestHandler('prompts/list', async () => listPrompts(view))
    server.setRequestHandler('prompts/get', async ({ params }) =>
      getPrompt(view, params.name, params.arguments ?? {}),
    )
  }
  if (!offersPrompts(view) && !offersResources(view)) return
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context } }) =>
    complete(view, {
      uri: ref.type === 'ref/resource' ? ref.uri : null,
      argument: argument.name,
      value: argument.value,
      others: context?.arguments ?? {},
    }),
  )
}
