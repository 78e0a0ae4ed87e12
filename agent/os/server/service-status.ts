import type { Host } from '#agent/host/ports.ts'
import { fpmService } from '#agent/os/php/fpm-files.ts'
import { servingPool } from '#agent/os/php/fpm-pools.ts'
import { CRON, MARIADB, NGINX } from '#agent/os/services/known.ts'
import { isRunning, type Service } from '#agent/os/services/service.ts'
import { listSites } from '#agent/os/site/sites.ts'
import type { Service as ServiceStatus } from '#shared/agent.ts'

type Status = ServiceStatus['status']
type Named = [name: string, service: Service]

/**
 * nginx, mariadb, cron, `php<version>` for each installed PHP (running if one of its masters is)
 * and `php-fpm:<user>` for each site of this agent: a sleeping one answers, and so is running.
 * `missing`: the program is not installed.
 */
export async function serviceStatuses(host: Host): Promise<ServiceStatus[]> {
  const sites = await Promise.all(
    (await listSites(host)).map(
      async (site): Promise<Named> => [
        `php-fpm:${site.user}`,
        fpmService(await servingPool(host, site)),
      ],
    ),
  )
  const versions = await phpVersions(host)
  const debian = versions.map((php): Named => [`php${php}`, debianFpm(php)])
  const named: Named[] = [
    ['nginx', NGINX],
    ['mariadb', MARIADB],
    ['cron', CRON],
    ...debian,
    ...sites,
  ]
  const statuses = await statusesOf(host, named)
  const statusOf = (name: string) => statuses.get(name) ?? 'missing'
  const runs = (php: string) =>
    sites.some(
      ([name, { program }]) => program.endsWith(`php-fpm${php}`) && statusOf(name) === 'running',
    )
  return named.map(([name]) => {
    const shared = name.startsWith('php') && !name.startsWith('php-fpm:')
    const status = shared && runs(name.slice(3)) ? 'running' : statusOf(name)
    return { name, status }
  })
}

async function phpVersions({ files }: Host): Promise<string[]> {
  return (await files.list('/usr/sbin'))
    .map(({ name }) => /^php-fpm(\d\.\d+)$/.exec(name)?.[1])
    .filter((php) => php !== undefined)
    .sort()
}

/** The master of the distribution, which this agent does not use itself. */
export function debianFpm(php: string): Service {
  return {
    unit: `php${php}-fpm.service`,
    program: `/usr/sbin/php-fpm${php}`,
    args: [],
    pid_file: `/run/php/php${php}-fpm.pid`,
    log: '',
    stop_signal: 'QUIT',
  }
}

async function statusesOf(host: Host, named: readonly Named[]): Promise<Map<string, Status>> {
  const told = host.init === 'systemd' ? await systemdStates(host, named) : undefined
  const entries = await Promise.all(
    named.map(async ([name, service]): Promise<[string, Status]> => {
      if (!(await host.files.stat(service.program))) return [name, 'missing']
      if (told) return [name, statusOfUnits(told, service)]
      return [name, (await isRunning(host, service)) ? 'running' : 'stopped']
    }),
  )
  return new Map(entries)
}

/** One call for all units; the answer has a block of lines for each, with the requested names. */
async function systemdStates(host: Host, named: readonly Named[]): Promise<Map<string, Status>> {
  const units = named.flatMap(([, { unit, socket_unit }]) => [unit, socket_unit ?? []].flat())
  const { stdout } = await host.shell.try([
    'systemctl',
    'show',
    '--property=Names,ActiveState',
    '--',
    ...units,
  ])
  const states = new Map<string, Status>()
  for (const block of stdout.split(/\n\s*\n/)) {
    const status = statusOfState(/^ActiveState=(.*)$/m.exec(block)?.[1])
    for (const unit of /^Names=(.*)$/m.exec(block)?.[1]?.split(' ') ?? []) states.set(unit, status)
  }
  return states
}

/** A stopped service counts as running if systemd listens in its place. */
function statusOfUnits(
  states: ReadonlyMap<string, Status>,
  { unit, socket_unit }: Service,
): Status {
  const status = states.get(unit) ?? 'stopped'
  if (status !== 'stopped' || socket_unit === undefined) return status
  return states.get(socket_unit) ?? 'stopped'
}

/** systemd(1): active, reloading and activating units answer; a unit that never ran is inactive. */
function statusOfState(state: string | undefined): Status {
  if (state === 'failed') return 'failed'
  const running = state === 'active' || state === 'reloading' || state === 'activating'
  return running ? 'running' : 'stopped'
}
