import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { runAsSite, tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Inventory } from '#shared/kernel/inventory.ts'

/** The report of the neighbour's script, which an attacker could also find out. */
export const NeighbourReport = z.object({
  /** The process ids of its workers and their master. */
  pid: z.number().int().positive(),
  ppid: z.number().int().nonnegative(),
  prefix: z.string().regex(/^\w{1,32}$/),
})

/** The two temporary sites of a check, and what the attacks know. */
export interface Scene {
  host: Host
  attacker: Site
  neighbour: Site
  /** A random part of the name of everything that the attacks create. */
  random: string
  secret: string
  /** The key that the scripts require: other sites see the names of users and domains. */
  key: string
  about: z.infer<typeof NeighbourReport>
  /** Reads a site like a requested scan. */
  scan(domain: string): Promise<Inventory>
}

/** The name of an account that no attack may be able to create. */
export const plantedName = (random: string) => `canary-p${random}`

const MAX_ANSWER = 1 << 18
/** The number of attempts: nginx may lose an answer while it replaces its workers. */
const TRIES = 3

/** Returns the JSON answer of a script of a site, through nginx. Throws for any other answer. */
export async function requestScript(
  { host, key }: Pick<Scene, 'host' | 'key'>,
  { domain }: Site,
  action: string,
): Promise<unknown> {
  for (let left = TRIES - 1; ; left--) {
    const words = new URLSearchParams({ do: action, key, run: host.random.text(8) })
    const { status, body } = await host.net.probe({ host: domain, path: `/isolation.php?${words}` })
    if (status === 200) return JSON.parse(body.slice(0, MAX_ANSWER))
    if (left === 0) throw new Error(`${action} was answered with ${status}`)
    await host.clock.sleep(200)
  }
}

/** Reads a file of a site as its user; "" when there is none. `path` is below its home. */
export async function readAsSite(host: Host, site: Site, path: string): Promise<string> {
  const argv = ['head', `--bytes=${MAX_ANSWER}`, '--', `${homeOf(site.user)}/${path}`]
  const { code, stdout } = await tryAsSite(host, site, argv, { network: false })
  return code === 0 ? stdout : ''
}

/** Writes a file of a site as its user. `path` is below its home. */
export async function writeAsSite(
  host: Host,
  site: Site,
  path: string,
  text: string,
): Promise<void> {
  const target = `of=${homeOf(site.user)}/${path}`
  await runAsSite(host, site, ['dd', 'status=none', target], { umask: 0o027, input: text })
}

/** Runs a program as the site's user without a sandbox: the attack examines the kernel. */
export const unsandboxed = ({ user }: Site, argv: readonly string[]): string[] => [
  'setpriv',
  `--reuid=${user}`,
  `--regid=${user}`,
  '--init-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
  '--',
  ...argv,
]
