import {
  type AgentOperation,
  type AgentOperations,
  MAX_AGENT_OPERATIONS,
} from '#shared/kernel/agent-operations.ts'
import type { Request } from './records.ts'
import type { OperationStore } from './store.ts'

const MAX_DOMAIN = 253

/**
 * Returns the operations that were requested since a time, the newest first, for a dashboard whose
 * records are older than that. Params and results stay here: they may contain secrets.
 */
export async function listSince(
  store: Pick<OperationStore, 'ids' | 'request' | 'events'>,
  since: number,
): Promise<AgentOperations> {
  const found: Request[] = []
  for (const id of await store.ids()) {
    const request = await store.request(id)
    if (request && request.created_at >= since) found.push(request)
  }
  const newest = found
    .toSorted((one, other) => other.created_at - one.created_at)
    .slice(0, MAX_AGENT_OPERATIONS)
  const operations: AgentOperation[] = []
  for (const { id, command, params, created_at } of newest) {
    const last = (await store.events(id)).at(-1)?.event
    const end = last === 'complete' || last === 'error' ? last : null
    operations.push({ id, command, domain: domainIn(params), created_at, end })
  }
  return { operations, total: found.length }
}

function domainIn(params: unknown): string {
  const { domain } = Object(params)
  return typeof domain === 'string' ? domain.slice(0, MAX_DOMAIN) : ''
}
