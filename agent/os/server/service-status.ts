import type { Host } from '#agent/host/ports.ts'
import { installedPhp } from '#agent/os/packages/packages.ts'
import { fpmService } from '#agent/os/php/fpm-files.ts'
import { DEBIAN } from '#agent/os/services/known.ts'
import { isRunning, type Service } from '#agent/os/services/service.ts'
import { propertiesOf } from '#agent/os/services/systemd.ts'
import { listSites } from '#agent/os/site/sites.ts'
import type { Service as ServiceStatus } from '#shared/agent.ts'

const FPM = '/usr/sbin/php-fpm'

type Status = ServiceStatus['status']
type States = Awaited<ReturnType<typeof propertiesOf<'ActiveState'>>>

/**
 * nginx, mariadb, cron, `php<version>` for each installed PHP (running if one of its masters is)
 * and `php-fpm:<user>` for each site of this agent: a sleeping one answers, and so is running.
 * `missing`: the program is not installed.
 */
export async function serviceStatuses(host: Host): Promise<ServiceStatus[]> {
  const pools = await listSites(host)
  const versions = await installedPhp(host)
  const named = new Map<string, Service>([
    ...Object.entries(DEBIAN),
    ...versions.map((php) => [`php${php}`, debianFpm(php)] as const),
    ...pools.map((pool) => [`php-fpm:${pool.user}`, fpmService(pool)] as const),
  ])
  const units = [...named.values()].flatMap(({ unit, socket_unit = [] }) => [unit, socket_unit])
  const states =
    host.init === 'systemd' ? await propertiesOf(host, units.flat(), ['ActiveState']) : undefined
  const found = await Promise.all(
    [...named].map(async ([name, service]) => {
      return { name, program: service.program, status: await statusOf(host, service, states) }
    }),
  )
  const serving = new Set(
    found.flatMap(({ name, program, status }) =>
      name.startsWith('php-fpm:') && status === 'running'
        ? [`php${program.slice(FPM.length)}`]
        : [],
    ),
  )
  return found.map(({ name, status }) => ({ name, status: serving.has(name) ? 'running' : status }))
}

/** The master of the distribution, which this agent does not use itself. */
export function debianFpm(php: string): Service {
  return {
    unit: `php${php}-fpm.service`,
    program: `${FPM}${php}`,
    args: [],
    pid_file: `/run/php/php${php}-fpm.pid`,
    log: '',
    stop_signal: 'QUIT',
  }
}

async function statusOf(host: Host, service: Service, states: States | undefined): Promise<Status> {
  if (!(await host.files.stat(service.program))) return 'missing'
  if (!states) return (await isRunning(host, service)) ? 'running' : 'stopped'
  const status = statusOfState(states.get(service.unit)?.ActiveState)
  if (status !== 'stopped' || service.socket_unit === undefined) return status
  // A stopped service counts as running if systemd listens in its place.
  return statusOfState(states.get(service.socket_unit)?.ActiveState)
}

/** systemd(1): active, reloading and activating units answer; a unit that never ran is inactive. */
function statusOfState(state: string | undefined): Status {
  if (state === 'failed') return 'failed'
  return ['active', 'reloading', 'activating'].includes(state ?? '') ? 'running' : 'stopped'
}
