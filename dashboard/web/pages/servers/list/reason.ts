import type { FleetServer } from '#shared/api/fleet.ts'

type Asked = Pick<FleetServer, 'status' | 'status_reason' | 'hostname' | 'port'>

/** Why a server is not online, without the address that stands beside it anyway; else empty. */
export function reasonOf({ status, status_reason, hostname, port }: Asked): string {
  if (status === 'online') return ''
  return status_reason.replace(`The agent on ${hostname}:${port} `, 'Its agent ')
}
