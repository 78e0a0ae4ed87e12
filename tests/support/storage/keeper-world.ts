import { afterAll, beforeAll } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newestSignedReport } from '#dashboard/features/backups/keeper/read-reports.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { buildKeeper, historyIn, installKeeper } from './history.ts'
import { quickenKeys, quickenObjects } from './quick-keys.ts'
import { keysOf, startRestServer } from './rest.ts'
import { installRestic, putRestic, type Target } from './restic.ts'
import { OWNER as S3_OWNER, startS3Server, WRITER } from './s3.ts'

const MINUTES = 60_000
/** The folder of a REST server whose repositories a keeper has. */
export const STORE = '/srv/rest/agency'
/** Its account: not root. */
export const OWNER = '1500'

/** Where a keeper works. */
interface Place<S> {
  storage: S
  /** That of the keeper. */
  machine: lab.Host
  target: Target
  /** As the configuration of the keeper names it. */
  store: object
  /** Opens a repository quickly from now on: it takes most of the time of restic. */
  quicken(name: string): Promise<void>
  /** The texts that a keeper has left for agents. */
  texts(client: lab.Host): Promise<string[]>
}

/** The keeper is on the machine of the storage. */
export async function besideRest(options: { megabytes?: number } = {}) {
  const storage = await startRestServer({ users: ['agency'], ...options })
  const { host: machine } = storage
  const target = storage.target('agency')
  const own = async () => {
    await machine.must(['chown', '-R', `${OWNER}:${OWNER}`, STORE])
  }
  const quicken = async (name: string) => {
    await quickenKeys(`${machine.root}${STORE}/${name}`, 'password')
    await own()
  }
  const store = { kind: 'folder', path: STORE }
  const texts = (client: lab.Host) => keysOf(client, target, 'hosting-keeper')
  return { storage, machine, target, store, quicken, texts, own }
}

/** The keeper is on a machine of its own, with the credentials of the owner. */
export async function besideS3(options: Parameters<typeof startS3Server>[0] = {}) {
  const storage = await startS3Server(options)
  const machine = await lab.startHost({ name: 'keeper', suite: 'bookworm', init: 'systemd' })
  const { target, request } = storage
  const read = async (url: string) => (await request(WRITER, { method: 'GET', url })).body
  const quicken = (name: string) =>
    quickenObjects((asked) => request(WRITER, asked), `sites/${name}/keys`, 'password')
  const store = { ...target.place, user: S3_OWNER.key, secret: S3_OWNER.secret }
  const texts = async () => {
    const listed = await read('?prefix=sites%2Fhosting-keeper%2F')
    const keys = [...listed.matchAll(/<Key>(.*?)<\/Key>/g)]
    return Promise.all(keys.map(([, key]) => read(`/${key}`)))
  }
  return { storage, machine, target, store, quicken, texts }
}

/** A storage with a keeper, and a client that saves in it as servers do. */
export class KeeperWorld<P extends Place<unknown>> {
  readonly place: P
  readonly client: lab.Host
  readonly keeper: Awaited<ReturnType<typeof installKeeper>>

  constructor(place: P, client: lab.Host, keeper: Awaited<ReturnType<typeof installKeeper>>) {
    this.place = place
    this.client = client
    this.keeper = keeper
  }

  historyOf = (name: string) => historyIn(this.client, this.place.target, name)

  /** A new repository. */
  started = async (name: string) => {
    const history = this.historyOf(name)
    await history.start(this.keeper.key)
    await this.place.quicken(name)
    return history
  }

  /** What a run does with a repository. */
  outcomeOf = async (name: string) => {
    const { code, report } = await this.keeper.run()
    const [line] = report.filter(({ repository }) => repository === name)
    const { status, backups, problems, forgotten } = line
    return { code, status, backups, problems, forgotten: [...(forgotten ?? [])].sort() }
  }

  /** As a dashboard reads it. */
  report = async () =>
    newestSignedReport(this.keeper.key, await this.place.texts(this.client), new Date())
}

interface Options {
  /** The configuration of the keeper, beside its stores; by default, every run reads all data. */
  config?: object
  /** Its program. */
  source?: string
}

/** Tests in a world of their own. */
export function describeKeeper<P extends Place<unknown>>(
  title: string,
  start: () => Promise<P>,
  { config = {}, source }: Options,
  tests: (world: () => KeeperWorld<P>) => void,
): void {
  unless(lab.available()).describe(title, () => {
    let folder: string
    let world: KeeperWorld<P>
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'keeper-'))
      const program = join(folder, 'hosting-agent')
      await buildKeeper(program, source)
      const client = await lab.startHost({ name: 'client', suite: 'bookworm', init: 'systemd' })
      await installRestic(client)
      const place = await start()
      await putRestic(place.machine, '/var/lib/hosting-keeper')
      const keep = { all_days: 7, daily_days: 60 }
      const all = { stores: [place.store], keep, check_parts: 1, ...config }
      world = new KeeperWorld(place, client, await installKeeper(place.machine, program, all))
    }, 10 * MINUTES)
    afterAll(async () => {
      await rm(folder, { recursive: true })
      await lab.switchDown()
    }, MINUTES)
    tests(() => world)
  })
}
