import type { FleetServer } from '#shared/overview/api/fleet.ts'

type Named = Pick<FleetServer, 'id' | 'name' | 'hostname'>

/**
 * The warning for a name that another server has: the API accepts it, but nobody can distinguish the
 * two. Undefined if no other server has it; `own` is the edited server.
 */
export function sameNameHint(
  servers: readonly Named[],
  { name, hostname }: { name: string; hostname: string },
  own?: number,
): string | undefined {
  const requested = (name.trim() || hostname.trim()).toLowerCase()
  const other = servers.find((one) => one.id !== own && one.name.toLowerCase() === requested)
  if (!other || requested === '') return undefined
  return `The server at ${other.hostname} has the same name. Choose another name to tell them apart.`
}
