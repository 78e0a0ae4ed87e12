import type { Host } from '#agent/kernel/host/ports.ts'
import { UNITS } from '#agent/kernel/services/systemd.ts'
import { conflict } from '#shared/kernel/errors.ts'

const PORTS = [80, 443] as const

/** A port of web servers that a program other than nginx listens on, with its name or `''`. */
export interface PortHolder {
  port: (typeof PORTS)[number]
  program: string
}

/** Reads the kernel's list first: without a listener, no program is started. */
export async function portHolders(host: Host): Promise<PortHolder[]> {
  const open = PORTS.filter(await listeningPorts(host))
  const holders = await Promise.all(open.map((port) => holderOf(host, port)))
  return holders.filter((holder) => holder !== undefined)
}

/** Throws conflict naming the programs and the effect on their sites. */
export async function refuseTakenPorts(host: Host): Promise<void> {
  const [holder] = await portHolders(host)
  if (!holder) return
  const program = holder.program || 'another program'
  throw conflict(
    `Port ${holder.port} is in use by ${program}, and nginx needs it: move its sites to another server or to another port first, since they go offline when it stops`,
  )
}

/** Matches a listening socket (state 0A) in proc_net(5), and its port in hexadecimal. */
const LISTENING = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ 0A /gm

/** Lists the ports on which programs of this server listen, by the kernel's list. */
export async function openPorts({ files }: Pick<Host, 'files'>): Promise<number[]> {
  const tables = await Promise.all(
    ['/proc/1/net/tcp', '/proc/1/net/tcp6'].map((path) => files.read(path, 64 << 20)),
  )
  const found = tables.flatMap((text) => [...(text ?? '').matchAll(LISTENING)])
  return [...new Set(found.map(([, hex = '']) => Number.parseInt(hex, 16)))]
}

async function listeningPorts(host: Host): Promise<(port: number) => boolean> {
  const open = await openPorts(host)
  return (port) => open.includes(port)
}

/** Lists the programs that listen on a port, by ss(8); none if it is not installed. */
export async function programsOn(host: Host, port: number): Promise<string[]> {
  const argv = ['ss', '-Hltnp', `sport = :${port}`]
  const { stdout } = await host.shell.try(argv, { unconfined: true })
  return [...stdout.matchAll(/\("([^"]+)",/g)].map(([, name = '']) => name)
}

/** Finds the holder of a port; without ss(8) it is nginx if nginx is running. */
async function holderOf(host: Host, port: PortHolder['port']): Promise<PortHolder | undefined> {
  const programs = await programsOn(host, port)
  const other = programs.find((name) => name !== 'nginx')
  if (other !== undefined) return { port, program: WORDS[other] ?? other }
  return programs.length > 0 ? undefined : { port, program: '' }
}

/** Returns the foreign program on a port that the agent needs; undefined for none. */
export async function findPortHolder(host: Host, port: number): Promise<string | undefined> {
  if (!(await listeningPorts(host))(port)) return undefined
  const programs = await programsOn(host, port)
  const own = ['hosting-agent', ...((await holdsPort(host, port)) ? ['systemd'] : [])]
  return programs.find((name) => !own.includes(name))
}

/** Returns whether systemd holds the port for the listening half, also while that does not run. */
async function holdsPort({ files }: Host, port: number): Promise<boolean> {
  const unit = (await files.read(`${UNITS}/hosting-agent-front.socket`)) ?? ''
  return new RegExp(`^ListenStream=.*:${port}$`, 'm').test(unit)
}

const WORDS: Record<string, string> = {
  'docker-proxy': 'a container (docker-proxy)',
  systemd: 'a socket of systemd',
}
