import type { PartGrant } from '#shared/kernel/rights.ts'
import type { Dashboard } from './dashboard.ts'

interface NewGroup {
  name: string
  role?: string | null
  parts?: readonly PartGrant[]
  members?: readonly number[]
}

/** Makes a group by the owner of a dashboard, and returns its path. */
export async function addGroup(
  owner: Pick<Dashboard, 'call'>,
  { parts = [], ...group }: NewGroup,
): Promise<string> {
  const made = await owner.call('POST', '/api/groups', { ...group, parts: parts.map(namedOnly) })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return `/api/groups/${made.body.group.id}`
}

/** A grant as a body has it: without the places that it does not name. */
const namedOnly = (part: PartGrant) =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null))
