import { isApache, readApacheConfig } from '#agent/features/existing/web/apache-config.ts'
import { apacheHosts } from '#agent/features/existing/web/apache-hosts.ts'
import { localAddresses } from '#agent/features/existing/web/backends.ts'
import { isCaddy } from '#agent/features/existing/web/caddy-config.ts'
import { readCaddy } from '#agent/features/existing/web/caddy-hosts.ts'
import { chooseSites, type Vhost } from '#agent/features/existing/web/choose-sites.ts'
import { withMassHosts } from '#agent/features/existing/web/mass-hosts.ts'
import { nginxHosts } from '#agent/features/existing/web/nginx-hosts.ts'
import { isLiteSpeed, readOpenLiteSpeed } from '#agent/features/existing/web/openlitespeed-hosts.ts'
import { isNginx, readNginxConfig } from '#agent/features/existing/web/read-nginx.ts'
import type { VirtualHost } from '#agent/features/existing/web/virtual-host.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { type Process, systemProcesses } from '#agent/kernel/host/processes/processes.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'

export type { Vhost } from '#agent/features/existing/web/choose-sites.ts'

interface WebServer {
  runs(process: Process): boolean
  read(host: Host, processes: readonly Process[]): Promise<VirtualHost[]>
}

const MAX_PROGRAMS = 8

const SERVERS: readonly WebServer[] = [
  { runs: isNginx, read: readNginx },
  { runs: isCaddy, read: readCaddy },
  { runs: isLiteSpeed, read: readOpenLiteSpeed },
  { runs: isApache, read: async (...from) => apacheHosts(await readApacheConfig(...from)) },
]

/**
 * Every site of the running web servers of this machine, those without a domain included. If none
 * is running: the sites that the installed ones would serve, unless something else (`occupied`)
 * uses their ports.
 */
export async function listServed(
  host: Host,
  processes: readonly Process[],
  occupied = async () => false,
): Promise<Vhost[]> {
  const running = SERVERS.filter(({ runs }) => processes.some(runs))
  const queried = running.length > 0 || (await occupied()) ? running : SERVERS
  const [local, ...found] = await Promise.all([
    localAddresses(host),
    ...queried.map(({ read }) => read(host, processes).catch(() => [])),
  ])
  const [nginx = []] = found
  // Of several installed and stopped servers, one is in use.
  const used = running.length > 0 ? found.flat() : (found.find(hasNames) ?? nginx)
  return chooseSites(await withMassHosts(host, used), local)
}

/** Programs with different configurations, as some panels have, are read one by one. */
async function readNginx(host: Host, processes: readonly Process[]): Promise<VirtualHost[]> {
  const masters = new Map(processes.filter(isNginx).map((master) => [master.line, master]))
  const programs = [...masters.values()].slice(0, MAX_PROGRAMS).map((master) => [master])
  const hostname = (await host.files.read('/etc/hostname').catch(() => undefined)) ?? ''
  const configs = await Promise.all(
    (programs.length > 0 ? programs : [[]]).map((program) => readNginxConfig(host, program)),
  )
  return configs.flatMap((config) => nginxHosts(config, hostname.trim().toLowerCase()))
}

const hasNames = (hosts: readonly VirtualHost[]) =>
  hosts.some(({ names }) => names.some((name) => canonicalDomain(name) !== undefined))

/** Every site that has a domain. */
export async function listVhosts(host: Host): Promise<Vhost[]> {
  const served = await listServed(host, await systemProcesses(host))
  return served.filter(({ domain }) => domain !== '')
}
