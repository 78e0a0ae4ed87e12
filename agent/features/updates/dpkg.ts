import type { Host } from '#agent/kernel/host/ports.ts'

const STATUS = '/var/lib/dpkg/status'
const UNFINISHED = /^Status: \S+ \S+ (unpacked|half-installed|half-configured)$/m

/** dpkg writes this file with every change; 0 if it is missing. */
export async function dpkgChangedAt({ files }: Host): Promise<number> {
  return (await files.stat(STATUS))?.mtime_ms ?? 0
}

/**
 * Whether dpkg is between two of its steps: a program that starts now might load new modules into
 * an old program.
 */
export async function isDpkgBusy({ files }: Host): Promise<boolean> {
  const pids = (await files.list('/proc')).filter(({ name }) => /^[1-9]\d*$/.test(name))
  for (const { name } of pids) {
    const comm = (await files.read(`/proc/${name}/comm`).catch(() => ''))?.trim()
    if (comm === 'dpkg') return true
  }
  return UNFINISHED.test((await files.read(STATUS, 64 << 20)) ?? '')
}
