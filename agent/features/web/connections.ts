import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Effect } from '#shared/kernel/plan.ts'

const MAIN_FILE = '/etc/nginx/nginx.conf'
const CONNECTIONS = 8192
/** Debian's value, for each worker. Another value was chosen by somebody, and stays. */
const DEBIAN = /^(\s*worker_connections\s+)768(\s*;)/m

type Readable = Pick<Host, 'files'>

/**
 * The text of nginx.conf with more connections, or undefined if nothing changes. No other file can set
 * them: nginx allows one `events` block.
 */
async function extended({
  files,
}: Readable): Promise<{ before: string; text: string } | undefined> {
  const before = (await files.read(MAIN_FILE)) ?? ''
  const text = before.replace(DEBIAN, `$1${CONNECTIONS}$2`)
  return text === before ? undefined : { before, text }
}

/**
 * Raises Debian's limit of connections, on a server without foreign virtual hosts: their settings stay.
 * The caller tests and reloads nginx. Returns the undo.
 */
export async function extendConnections(host: Readable): Promise<() => Promise<void>> {
  const found = await extended(host)
  if (!found) return async () => undefined
  await host.files.write(MAIN_FILE, found.text, { mode: 0o644 })
  return () => host.files.write(MAIN_FILE, found.before, { mode: 0o644 })
}

/** The effects of `extendConnections`. */
export async function planConnections(host: Readable): Promise<Effect[]> {
  return (await extended(host)) ? [effects.change('file', MAIN_FILE)] : []
}
