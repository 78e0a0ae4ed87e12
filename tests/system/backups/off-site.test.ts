// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DashboardBackup } from '#shared/recovery/api/dashboard-backup.ts'
import { kit } from '#tests/support/agent/backup.ts'
import { tellingPart, Watcher } from '#tests/support/canary.ts'
import { sshKey } from '#tests/support/hostile-values.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { installRestic } from '#tests/support/storage/restic.ts'
import { ADMIN, startDashboard } from '#tests/support/system/dashboard.ts'
import type { Enrolled } from '#tests/support/system/enrolled.ts'
import { foundDuring } from '#tests/support/system/keeper-secrets.ts'
import { namesIn, STORAGES, type Storage } from '#tests/support/system/off-site/storages.ts'
import { daysAgo, OffSiteWorld, STALL } from '#tests/support/system/off-site/world.ts'

/** The priorities and limits of a running program of this machine. */
async function weightsOf(pid: number) {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')
  const [, fields = ''] = read('stat').split(') ')
  const [, data] = /^Max data size\s+(\d+)/m.exec(read('limits')) ?? []
  const variables = read('environ').split('\0')
  return {
    nice: Number(fields.split(' ')[16]),
    io: (await must(['ionice', '-p', String(pid)])).trim(),
    data: Number(data),
    go: variables.filter((line) => line.startsWith('GO')).sort(),
  }
}

const HOME = '/root'

/** The first commands of a document that are marked as tested. */
async function documented(name: string): Promise<string> {
  const text = await Bun.file(`.github/docs/${name}`).text()
  return /<!-- tested[^>]*-->\n```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

/** An empty machine with the kit, restic and the access to a storage. */
class Rescue {
  readonly #host: lab.Host
  readonly #env: Record<string, string>

  private constructor(host: lab.Host, env: Record<string, string>) {
    this.#host = host
    this.#env = env
  }

  static async start(storage: Storage): Promise<Rescue> {
    const name = `rescue-${storage.service}`
    const host = await lab.startHost({ name, suite: 'bookworm', init: 'systemd' })
    await installRestic(host)
    await host.put(`${HOME}/kit.pem`, kit.privateKey, 0o600)
    await host.put(`${HOME}/repository`, `${storage.repository}\n`, 0o600)
    for (const [path, text] of await storage.read('keys')) {
      await host.put(`${HOME}/keys/${path.split('/').at(-1)}`, text)
    }
    const path = `${HOME}/restic/usr/bin:/usr/bin:/bin`
    return new Rescue(host, { PATH: path, HOME, ...(await access(host, storage)) })
  }

  /** The documented commands, and the records on a dashboard that was never used. */
  async restore(): Promise<{ password: string; place: unknown }> {
    for (const name of ['backup-recovery.md', 'operating.md'])
      await this.#run(await documented(name))
    const folder = await mkdtemp(join(tmpdir(), 'rescue-'))
    const data_dir = join(folder, 'data')
    await Bun.write(`${folder}/dashboard.tar`, Bun.file(`${this.#host.root}${HOME}/dashboard.tar`))
    const argv = ['bun', 'dashboard/main.ts', 'restore', `${folder}/dashboard.tar`]
    await lab.must(['env', `DATA_DIR=${data_dir}`, ...argv])
    const env = { DATA_DIR: data_dir, PRIVATE_ADDRESSES: 'allow', BACKUPS_OFF_SITE: 'off' }
    // It accepts the former login.
    const dashboard = await startDashboard(this.#host.netns, { env })
    const { body } = await dashboard.call('GET', '/api/fleet/dashboard-backup')
    await dashboard.stop()
    await rm(folder, { recursive: true })
    const password = (await this.#host.must(['cat', `${HOME}/password`])).trim()
    const { target } = body.backup as DashboardBackup
    return { password, place: target?.place }
  }

  /** Reads every byte of every backup: how many there are, and which files have a secret meanwhile. */
  async check(secrets: readonly string[]): Promise<{ backups: number; secrets: string[] }> {
    const restic = 'restic --repository-file repository --password-file password --no-lock'
    const found = await foundDuring(this.#host, secrets, () =>
      this.#run(`${restic} check --read-data`),
    )
    const backups = JSON.parse(await this.#run(`${restic} snapshots --json`)).length
    return { backups, secrets: found }
  }

  stop = () => this.#host.remove()

  #run = (commands: string) =>
    this.#host.must(['env', '--chdir', HOME, 'sh', '-ec', commands], {
      env: this.#env,
      timeout_ms: 120_000,
    })
}

/** What restic and ssh(1) need beside the address. */
async function access(host: lab.Host, { target }: Storage): Promise<Record<string, string>> {
  const { place, secret } = target
  if (place.kind === 'sftp') {
    await host.put(`${HOME}/.ssh/id_ed25519`, secret, 0o600)
    await host.put(`${HOME}/.ssh/known_hosts`, `[${place.host}]:${place.port} ${place.host_key}\n`)
    return {}
  }
  await host.put(`${HOME}/ca.pem`, place.ca)
  const ca = { RESTIC_CACERT: `${HOME}/ca.pem` }
  if (place.kind === 'rest') return ca
  return { ...ca, AWS_ACCESS_KEY_ID: place.user, AWS_SECRET_ACCESS_KEY: secret }
}

const NAME = 'the dashboard'

/** What can be read of a dashboard that saves its records: its processes, its output and its files. */
class Seen {
  readonly #watcher = new Watcher()
  readonly #programs = new Map<number, string>()
  readonly #enrolled: Enrolled

  constructor(enrolled: Enrolled) {
    this.#enrolled = enrolled
    this.follow()
    this.#watcher.watch(this.#programs)
  }

  /** The dashboard that runs now. */
  follow(): void {
    this.#programs.set(this.#enrolled.dashboard.process.child.pid ?? 0, NAME)
  }

  /** The places of these secrets until now, after which nothing is looked at any more. */
  async placesOf(secrets: readonly string[]): Promise<string[]> {
    this.#watcher.stop()
    this.#watcher.see('output', this.#enrolled.dashboard.process.lines.join('\n'))
    await this.#watcher.seeFiles('data', this.#enrolled.data_dir)
    // Shows that processes are looked at.
    expect(this.#watcher.placesOf('dashboard.tar')).toContain(`arguments of a child of ${NAME}`)
    return secrets.flatMap((secret) => this.#watcher.placesOf(secret))
  }
}

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const CONFIG = '/srv/rest/shop/hosting-dashboard/config'
const HALF_MADE =
  /^The creation of the repository hosting-dashboard was interrupted.* remove the folder hosting-dashboard/

/** What the check of a target names, and the words of each storage for its faults. */
const KINDS = {
  rest: { wrong: /401 Unauthorized/, refused: /401/, full: /507/ },
  sftp: {
    wrong: /Permission denied|Load key/,
    refused: /Permission denied/,
    full: /sftp|no space/i,
  },
  s3: { wrong: /check its credentials/, refused: /UserSuspended|403|denied/i, full: /Quota/ },
} as const

let world: OffSiteWorld

const saves = () => world.save()
const snapshots = async (storage: Storage) => (await storage.read('snapshots')).size

/** A failed one is absent, shown on the overview with advice, and followed by a whole one. */
async function expectFailed(storage: Storage, work: () => Promise<string | null>, reason: RegExp) {
  const had = await snapshots(storage)
  world.age({ saved_at: daysAgo(3) })

  const error = await work()

  expect(error).toMatch(reason)
  expect(error).not.toContain(storage.target.secret.trim())
  expect(await world.reasons()).toEqual([
    expect.stringMatching(/^The records of this dashboard were last saved on .*"Back up now"/s),
  ])
  expect(await snapshots(storage)).toBe(had)
}

async function expectSaved(storage: Storage, work: () => Promise<string | null> = saves) {
  const had = await snapshots(storage)
  expect(await work()).toBe(null)
  expect(await world.reasons()).toEqual([])
  expect(await snapshots(storage)).toBe(had + 1)
}

/** The first backup is killed at each of its steps, and another one made of each state. */
async function expectFirst(storage: Storage) {
  // The check has created the repository.
  await storage.host.must(['rm', '-r', dirname(CONFIG)])
  const found: unknown[] = []
  for (const words of ['key list', 'init', 'key add', 'backup']) {
    const error = await world.during(words, 0, async (pid) => {
      found.push(await weightsOf(pid))
      process.kill(pid, 'SIGKILL')
    })
    const [command] = words.split(' ')
    expect([words, error]).toEqual([words, `restic ${command}: exit status 137`])
    expect([words, await snapshots(storage)]).toEqual([words, 0])
  }
  const bounded = { data: 2 ** 30, go: ['GOGC=50', 'GOMEMLIMIT=256MiB'] }
  expect(found).toEqual(Array(4).fill({ nice: 19, io: 'idle', ...bounded }))
  await expectSaved(storage)
  // The state that an interrupted creation leaves.
  await storage.host.must(['mv', CONFIG, '/srv/config'])
  await expectFailed(storage, saves, HALF_MADE)
  await storage.host.must(['mv', '/srv/config', CONFIG])
  const password = world.forget()
  await expectFailed(storage, saves, /has a repository hosting-dashboard of another dashboard/)
  password.undo()
}

/** A target without a backup gets its first one without a request. */
async function expectOwed(storage: Storage) {
  expect(await lab.poll(async () => (await snapshots(storage)) === 1)).toBe(true)
  expect((await world.ended()).error).toBe(null)
}

unless(lab.available()).describe('the records of a dashboard in a storage elsewhere', () => {
  beforeAll(async () => {
    world = await OffSiteWorld.start()
  }, 10 * MINUTES)
  afterAll(() => world?.enrolled.stop(), 5 * MINUTES)

  test('are not saved while something is missing, and it is named', async () => {
    const { status, body } = await world.call('POST', '/api/fleet/dashboard-backup')

    expect([status, body.message]).toEqual([
      409,
      'The records cannot be backed up: add a target for the dashboard first, which no server can read',
    ])
  })

  test.each(['rest', 'sftp', 's3'] as const)(
    '%s: on request and on schedule, encrypted, complete or absent after any fault, and restored',
    async (kind) => {
      const { wrong, refused, full } = KINDS[kind]
      const storage = await STORAGES[kind]()
      const { target, host, service } = storage
      const other = kind === 'sftp' ? sshKey() : 'wrong'
      expect(await world.set({ ...target, secret: other } as typeof target)).toMatch(wrong)
      const { secret } = target
      const seen = new Seen(world.enrolled)
      expect(await world.set(target)).toBe(null)

      if (kind === 'rest') await expectFirst(storage)
      else await expectOwed(storage)
      await expectSaved(storage)
      const saved = await snapshots(storage)
      world.age({ tried_at: daysAgo(2), saved_at: daysAgo(2) })
      expect(await lab.poll(async () => (await snapshots(storage)) > saved)).toBe(true)
      await world.ended()

      await expectFailed(
        storage,
        () => world.during('backup', 1, async (pid) => process.kill(pid, 'SIGKILL')),
        /^restic backup: exit status 137$/,
      )
      const started = Promise.withResolvers<unknown>()
      const restart = async () => {
        await host.must(['systemctl', 'kill', '--signal=KILL', service])
        const start = () => host.must(['systemctl', 'start', service])
        setTimeout(() => start().then(started.resolve, started.reject), 1500)
      }
      const restarted = () => world.during('backup', 1, restart)
      // A connection of ssh that ends is not made again.
      if (kind === 'sftp') await expectFailed(storage, restarted, /ssh|sftp/)
      else await expectSaved(storage, restarted)
      await started.promise
      if (kind === 'sftp') await expectSaved(storage)
      await expectFailed(
        storage,
        () => world.during('backup', 1, () => host.partition(true)),
        new RegExp(`no progress for ${STALL} seconds: check the storage`),
      )
      await host.partition(false)
      await expectSaved(storage)
      await storage.fill()
      await expectFailed(storage, saves, full)
      await storage.empty()
      await expectSaved(storage)
      await storage.revoke()
      await expectFailed(storage, saves, refused)
      await storage.admit()

      const had = await snapshots(storage)
      await world.request()
      process.kill(await world.restic('backup', 1), 'SIGSTOP')
      await world.enrolled.restartDashboard()
      seen.follow()
      expect((await world.ended()).error).toBe(null)
      expect(await snapshots(storage)).toBe(had + 1)
      expect((await namesIn(world.data_dir)).filter((name) => /^off-site/.test(name))).toEqual([])

      const rescue = await Rescue.start(storage)
      const { password, place } = await rescue.restore()
      expect(place).toEqual(target.place)
      const own = [tellingPart(kit.privateKey), password]
      expect(await rescue.check(own)).toEqual({
        ...{ backups: had + 1, secrets: ['/root/kit.pem', '/root/password'] },
      })
      expect(await seen.placesOf([...own, tellingPart(secret)])).toEqual([])
      const secrets = [
        ...(await Promise.all(
          ['seal-secret', 'jwt-secret'].map((name) => readFile(`${world.data_dir}/${name}`)),
        )),
        ...[password, target.secret, ADMIN.email, 'SQLite format 3', 'dashboard.tar'],
      ]
      for (const [path, bytes] of await storage.read('')) {
        const found = secrets.filter((secret) => bytes.includes(secret.toString().trim()))
        expect([path, found]).toEqual([path, []])
      }
      await rescue.stop()
      await storage.stop()
    },
  )
})
