import type { Host } from '#agent/kernel/host/ports.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import type { Metrics } from '#shared/servers/agent.ts'

interface Ticks {
  busy: number
  total: number
}

const MB = 2 ** 20
const FIRST_SAMPLE_MS = 100
/** The minimum number of ticks of all processors together for a percentage. */
const MIN_TICKS = 5
/** The time for which the name of the system is cached: an upgrade changes it. */
const NAME_MS = 10 * 60_000

/**
 * Reads the metrics of the machine: sizes in whole MB, `cpu` in percent since the previous reading
 * (the first one waits 100 ms), `uptime` in seconds. Source: proc(5), os-release(5).
 */
export function metricsReader(host: Host): () => Promise<Metrics> {
  let before: Ticks | undefined
  let cpu = 0
  let os: { name: string; until: number } | undefined
  const name = async () => {
    const now = host.clock.elapsed()
    if (!os || os.until <= now) os = { name: await osOf(host), until: now + NAME_MS }
    return os.name
  }
  const since = async () => {
    const now = parseStat((await host.files.read('/proc/stat')) ?? '')
    if (before && now.total - before.total < MIN_TICKS) return cpu
    if (before) cpu = percent(now.busy - before.busy, now.total - before.total)
    before = now
    return cpu
  }
  return async () => {
    if (!before) {
      await since()
      await host.clock.sleep(FIRST_SAMPLE_MS)
    }
    const rest = {
      ram: await ramOf(host),
      disk: await diskOf(host),
      load: await loadOf(host),
      uptime: await uptimeOf(host),
      os: await name(),
      version: host.settings.version,
      protocol: PROTOCOL,
    }
    return { cpu: await since(), ...rest }
  }
}

/** Counts ticks of all processors: idle and I/O wait are not busy; guests are part of user. */
export function parseStat(text: string): Ticks {
  const [, line = ''] = /^cpu\s+([\d ]+)/m.exec(text) ?? []
  const fields = line.trim().split(/\s+/).slice(0, 8).map(Number)
  const total = fields.reduce((sum, ticks) => sum + ticks, 0)
  return { busy: total - (fields[3] ?? 0) - (fields[4] ?? 0), total }
}

function percent(busy: number, total: number): number {
  return Math.min(100, Math.max(0, Math.round((busy / total) * 1000) / 10))
}

async function ramOf({ files }: Host): Promise<Metrics['ram']> {
  const text = (await files.read('/proc/meminfo')) ?? ''
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
  const total = kilobytes('MemTotal')
  const used = Math.max(0, total - kilobytes('MemAvailable'))
  return { used: Math.round(used / 1024), total: Math.round(total / 1024), unit: 'MB' }
}

async function diskOf({ files }: Host): Promise<Metrics['disk']> {
  const { free, total } = await files.space('/')
  return { used: Math.round((total - free) / MB), total: Math.round(total / MB), unit: 'MB' }
}

async function loadOf({ files }: Host): Promise<Metrics['load']> {
  const [one, five, fifteen] = ((await files.read('/proc/loadavg')) ?? '').split(' ').map(Number)
  return [one || 0, five || 0, fifteen || 0]
}

async function uptimeOf({ files }: Host): Promise<number> {
  return Math.floor(Number((await files.read('/proc/uptime'))?.split(' ')[0] ?? 0)) || 0
}

async function osOf({ files }: Host): Promise<string> {
  const text = (await files.read('/etc/os-release')) ?? (await files.read('/usr/lib/os-release'))
  const name = /^PRETTY_NAME=(.*)$/m.exec(text ?? '')?.[1]?.trim() ?? ''
  return name.replace(/^(["'])(.*)\1$/, '$2').slice(0, 255) || 'Linux'
}
