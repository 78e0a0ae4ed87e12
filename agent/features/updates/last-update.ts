import type { Host } from '#agent/kernel/host/ports.ts'
import type { LastUpdate } from '#shared/updates/maintenance.ts'

const HISTORY = '/var/log/apt/history.log'
const MOST = 4 << 20
const MAX_PACKAGES = 500

/** The newest upgrade in apt's history; an entry of an earlier month is in `before`. */
export async function lastUpdate(
  { files }: Host,
  before: LastUpdate | null,
): Promise<LastUpdate | null> {
  const text = (await files.read(HISTORY, MOST).catch(() => undefined)) ?? ''
  const entry = text.split(/\n\n+/).findLast((part) => /^Upgrade: /m.test(part))
  if (entry === undefined) return before
  const [, day, time] = /^End-Date: (\d{4}-\d\d-\d\d) {2}(\d\d:\d\d:\d\d)$/m.exec(entry) ?? []
  const at = new Date(`${day}T${time}`)
  if (Number.isNaN(at.getTime())) return before
  const upgrades = /^Upgrade: (.*)$/m.exec(entry)?.[1] ?? ''
  const names = [...upgrades.matchAll(/(\S+?)(?::\w+)? \([^)]*\)/g)].map(([, name = '']) => name)
  return { at: at.toISOString(), packages: names.slice(0, MAX_PACKAGES) }
}
