import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { buildDashboard } from '#scripts/build-dashboard.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { cached } from '#tests/support/lab/cache.ts'
import type { Image } from '#tests/support/lab/disk.ts'
import { must } from '#tests/support/lab/run.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { packaged } from './packaged.ts'

/**
 * `machine`: a server with all that `server.provision` does, and no agent. `enrolled`: one with an
 * installed agent, which its dashboard has provisioned.
 */
export type Kind = 'machine' | 'enrolled'

/** Each world is kept before and after the creation of its site. */
export type State = 'server' | 'site'

/** An enrolled server that is not running: its disk and the records of its dashboard. */
export interface Prepared {
  image: Image
  records: string
}

/** The site that a prepared world can have. */
export const SHOP = {
  domain: 'shop.example.test',
  tier: 'small',
  tls: 'none',
  email: 'owner@example.org',
  /** In a machine; the dashboard chooses another one. */
  user: 'shop1a2b3c',
}

export const shopOf = (suite: Suite) => ({ ...SHOP, php: suites[suite].php })

/** The address by which a prepared dashboard knows its server. No other host gets it. */
export const ADDRESS = '10.78.0.9'

const PROGRAM = 'tests/support/system/prepare.ts'
/** What decides about a world, beside the builds and the disk that it starts from. */
const SOURCES = [
  PROGRAM,
  'tests/support/system/prepared.ts',
  'tests/support/system/enrolled.ts',
  'tests/support/system/join-server.ts',
  'tests/support/system/machine.ts',
  'tests/support/lab/disk.ts',
]
const UNUSED_MS = 2 * 3600_000

/** A provisioned server without an agent: the disk for `startMachine`. */
export const provisioned = (suite: Suite): Promise<Image> => machine(suite, 'server')

/** The same with the site `shopOf(suite)`. */
export const withShop = (suite: Suite): Promise<Image> => machine(suite, 'site')

async function machine(suite: Suite, state: State): Promise<Image> {
  return imageIn(suite, await folderOf('machine', suite), state)
}

/** The disk of an enrolled server, with a site if wanted, and the records of its dashboard. */
export async function enrolled(suite: Suite, { site }: { site: boolean }): Promise<Prepared> {
  const state = site ? 'site' : 'server'
  const folder = await folderOf('enrolled', suite)
  return { image: await imageIn(suite, folder, state), records: join(folder, `${state}.records`) }
}

/** The disk in the folder of a prepared world. */
export async function imageIn(suite: Suite, folder: string, state: State): Promise<Image> {
  const { layers } = await packaged(suite)
  return { layers, written: join(folder, `${state}.tar`) }
}

/**
 * The folder of a prepared world. It is made once for each build, in a process with a network of its
 * own, while the other files that need it wait; and once a day, because what is due each day would
 * otherwise be overdue in it.
 */
async function folderOf(kind: Kind, suite: Suite): Promise<string> {
  const name = `${suite}-${kind}-`
  let isNew = false
  const folder = await cached(`${name}${await digestOf(kind, suite)}`, async (draft) => {
    isNew = true
    // The commands of the preparation are those of each host that starts from it.
    const env = { HOSTING_COMMANDS: '' }
    await must([process.execPath, PROGRAM, kind, suite, draft], { env })
  })
  const now = new Date()
  await utimes(folder, now, now)
  if (isNew) await removeUnused(dirname(folder), name)
  return folder
}

async function digestOf(kind: Kind, suite: Suite): Promise<string> {
  const { file: agent } = await buildAgent('.')
  const builds = kind === 'machine' ? [agent] : [agent, (await buildDashboard('.')).file]
  const inputs = await Promise.all(
    [...builds.map((file) => `${file}.inputs`), ...SOURCES].map((path) => readFile(path, 'utf8')),
  )
  const { layers } = await packaged(suite)
  const day = new Date().toISOString().slice(0, 10)
  const recipe = JSON.stringify([inputs, layers, await wordpressMirror(), day])
  return createHash('sha256').update(recipe).digest('hex').slice(0, 12)
}

/** Worlds of former builds: each takes up to 900 MB. */
async function removeUnused(cache: string, prefix: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(prefix)) continue
    const path = join(cache, name)
    const used = await stat(path).catch(() => undefined)
    if (used && Date.now() - used.mtimeMs > UNUSED_MS)
      await rm(path, { recursive: true, force: true })
  }
}
