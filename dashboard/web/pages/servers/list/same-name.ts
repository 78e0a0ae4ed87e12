import type { FleetServer } from '#shared/api/fleet.ts'

type Named = Pick<FleetServer, 'id' | 'name' | 'hostname'>

/**
 * What the form says of a name that another server has: the API takes it, and nobody can tell the two
 * apart then. Undefined where it is the only one; `own` is the server that is changed.
 */
export function sameNameHint(
  servers: readonly Named[],
  { name, hostname }: { name: string; hostname: string },
  own?: number,
): string | undefined {
  const wanted = (name.trim() || hostname.trim()).toLowerCase()
  const other = servers.find((one) => one.id !== own && one.name.toLowerCase() === wanted)
  if (!other || wanted === '') return undefined
  return `The server at ${other.hostname} has the same name. Choose another name to tell them apart.`
}
