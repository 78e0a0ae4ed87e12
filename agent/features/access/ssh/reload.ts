import { DROP_IN, SSHD } from '#agent/features/access/places.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import type { Service } from '#agent/kernel/services/service.ts'
import { effectiveOf } from './effective.ts'

export const SSH_UNIT = 'ssh.service'
const SERVICE: Service = {
  unit: SSH_UNIT,
  program: SSHD,
  args: ['-D'],
  pid_file: '/run/sshd.pid',
  log: '/var/log/hosting-services.log',
  stop_signal: 'TERM',
}
/** sshd needs some milliseconds; a socket of systemd stays the same. */
const OPENS_MS = 1000
const LOOK_MS = 10
const LISTENING = '0A'
const MAX_TABLE = 64 << 20

/**
 * Running sessions stay. sshd closes its sockets for a moment: this returns when it has new ones. A
 * server that systemd starts for each connection reads its configuration by itself.
 */
export async function reload(host: Host): Promise<void> {
  const settings = await effectiveOf(host, 'root')
  const ports = new Set((settings.get('port') ?? []).map(Number))
  const before = await socketsOf(host, ports)
  const services = servicesOf(host)
  if (!(await services.isActive(SERVICE))) return
  await services.reload(SERVICE, 'HUP')
  const until = host.clock.elapsed() + OPENS_MS
  while (before.size > 0 && host.clock.elapsed() < until) {
    const now = await socketsOf(host, ports)
    if (now.size >= before.size && now.isDisjointFrom(before)) return
    await host.clock.sleep(LOOK_MS)
  }
}

/** An interrupted step may have left the file, which is tested, without a reload. */
export async function finishReload(host: Host): Promise<void> {
  if (await host.files.stat(DROP_IN)) await reload(host).catch(() => undefined)
}

/** The inodes of the sockets that listen on these ports: proc_net_tcp(5). */
async function socketsOf({ files }: Host, ports: ReadonlySet<number>): Promise<Set<string>> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => files.read(`/proc/net/${name}`, MAX_TABLE)),
  )
  const rows = tables.flatMap((text) => (text ?? '').trim().split('\n').slice(1))
  return new Set(
    rows.flatMap((row) => {
      const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/)
      const port = Number.parseInt(local.split(':').at(-1) ?? '', 16)
      return state === LISTENING && ports.has(port) ? [inode] : []
    }),
  )
}
