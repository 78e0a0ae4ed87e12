import type { FleetServer } from '#shared/overview/api/fleet.ts'

type Reachability = Pick<FleetServer, 'status' | 'status_reason' | 'hostname' | 'port'>

/** Why a server is not online, without the address, which is shown beside it; empty for an online server. */
export function reasonOf({ status, status_reason, hostname, port }: Reachability): string {
  if (status === 'online') return ''
  return status_reason.replace(`The agent on ${hostname}:${port} `, 'Its agent ')
}
