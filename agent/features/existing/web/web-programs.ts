import type { WebProgram } from '#shared/servers/agent.ts'
import type { Listener } from './listeners.ts'

export const WEB_PORTS: readonly number[] = [80, 443]
/** As ss(8) names them: the first 15 characters of the program. */
const UNDERSTOOD = [
  ...['nginx', 'nginx-rc', 'openresty', 'apache2', 'apache2-rc', 'httpd'],
  ...['caddy', 'openlitespeed', 'litespeed'],
]

/** The web servers of this machine; those not understood have a reason. */
export function webPrograms(listeners: readonly Listener[]): WebProgram[] {
  const ports = new Map<string, Set<number>>()
  for (const { program, port } of listeners) {
    if (!WEB_PORTS.includes(port)) continue
    ports.set(program, (ports.get(program) ?? new Set()).add(port))
  }
  return [...ports].map(([program, found]) => {
    const understood = UNDERSTOOD.includes(program)
    const reason = understood ? null : 'program_not_understood'
    return { program, ports: [...found].sort((a, b) => a - b), understood, reason }
  })
}
