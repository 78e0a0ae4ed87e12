import type { Host } from '#agent/host/ports.ts'
import { READ_ONLY } from '#agent/os/packages/apt.ts'
import { oneLine, type PendingPackage } from '#shared/maintenance.ts'

const UPGRADE = ['upgrade', '--with-new-pkgs', '-q']
/** As apt names Debian's archive of security updates. */
const SECURITY = /\bDebian-Security:|-security\b/

/** Of a name or a version. */
const MOST = 200

export interface Pending {
  packages: PendingPackage[]
  /** Why they are not known; empty when they are. */
  problem: string
}

/** The packages that have a newer version, by what apt would do now with the lists that it has. */
export async function pendingPackages(host: Host): Promise<Pending> {
  const { code, stdout, stderr } = await host.shell.try([
    'apt-get',
    ...READ_ONLY,
    '--simulate',
    ...UPGRADE,
  ])
  if (code === 0) return { packages: parseSimulation(stdout), problem: '' }
  const [words = ''] = stderr.trim().split('\n')
  return { packages: [], problem: oneLine(words) || `apt-get ended with status ${code}` }
}

/** `Inst openssl [3.0.19-1] (3.0.22-1 Debian-Security:12/stable-security [amd64])`: apt-get(8). */
export function parseSimulation(text: string): PendingPackage[] {
  const lines = text.matchAll(/^Inst (\S+)(?: \[([^\]\n]*)\])? \((\S+)([^)\n]*)\)/gm)
  return [...lines].map(([, name = '', installed = '', candidate = '', origin = '']) => ({
    name: oneLine(name, MOST),
    installed: oneLine(installed, MOST),
    candidate: oneLine(candidate, MOST),
    security: SECURITY.test(origin),
  }))
}

/**
 * When the package lists were read last: apt renames each list into this folder's parent out of it.
 * Null where they never were.
 */
export async function listsReadAt({ files }: Host): Promise<number | null> {
  const lists = await files.list('/var/lib/apt/lists')
  if (!lists.some(({ name }) => /_(Packages|InRelease|Release)(\.\w+)?$/.test(name))) return null
  const found = await files.stat('/var/lib/apt/lists/partial')
  return found?.mtime_ms ?? null
}
