import type { Host } from '#agent/kernel/host/ports.ts'

/** A process that runs code of a file that is no longer there. */
export interface OldProcess {
  pid: number
  /** The unit of systemd that it belongs to, empty where there is none. */
  unit: string
  parent: number
}

/** Only code of packages: code that programs generate is elsewhere. See proc_pid_maps(5). */
const CODE =
  '^[0-9a-f-]+ ..x. [0-9a-f]+ [0-9a-f:]+ [0-9]+ +/(usr|lib|lib64|bin|sbin)/.* [(]deleted[)]$'
const GREP = ['grep', '--no-messages', '--with-filename', '--extended-regexp', '--max-count=1']
/** The number of processes per call. */
const PIECE = 500

/**
 * Processes that have mapped replaced files. The sandbox of the agent prevents inspecting processes
 * with more rights: grep runs outside of it.
 */
export async function oldProcesses(host: Host): Promise<OldProcess[]> {
  const names = (await host.files.list('/proc')).map(({ name }) => name)
  const pids = names.filter((name) => /^[1-9]\d*$/.test(name))
  const found: number[] = []
  for (let at = 0; at < pids.length; at += PIECE) {
    const paths = pids.slice(at, at + PIECE).map((pid) => `/proc/${pid}/maps`)
    const { stdout } = await host.shell.try([...GREP, CODE, ...paths], { unconfined: true })
    found.push(...[...stdout.matchAll(/^\/proc\/(\d+)\/maps:/gm)].map(([, pid]) => Number(pid)))
  }
  return Promise.all(found.map((pid) => describe(host, pid)))
}

async function describe({ files }: Host, pid: number): Promise<OldProcess> {
  const [group = '', status = ''] = await Promise.all([
    files.read(`/proc/${pid}/cgroup`).catch(() => ''),
    files.read(`/proc/${pid}/status`).catch(() => ''),
  ])
  const units = /^0::(.*)$/m.exec(group)?.[1]?.split('/') ?? []
  const unit = units.findLast((name) => /\.(service|scope)$/.test(name)) ?? ''
  return { pid, unit, parent: Number(/^PPid:\t(\d+)$/m.exec(status)?.[1] ?? 0) }
}
