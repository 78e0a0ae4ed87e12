// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { constants, privateDecrypt, publicEncrypt } from 'node:crypto'
import { kit } from '#tests/support/agent/backup.ts'
import { tellingPart, Watcher } from '#tests/support/canary.ts'
import * as lab from '#tests/support/lab/index.ts'
import { settles } from '#tests/support/lab/wait.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { putRestic, type Target } from '#tests/support/storage/restic.ts'
import { startS3Server } from '#tests/support/storage/s3.ts'
import { startSftpServer } from '#tests/support/storage/sftp.ts'
import { confirmKit } from '#tests/support/system/confirm-kit.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { KEEPER_KEY, keeperOn } from '#tests/support/system/keeper-secrets.ts'
import { get } from '#tests/support/system/requests.ts'
import { SecretWatch } from '#tests/support/system/secret-watch.ts'
import { MINUTES, World } from '#tests/support/system/world.ts'

const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
const STAGING = 'staging.shop.example.test'

interface Access {
  user: string
  password: string
}

/**
 * Passwords of visitors and tokens of logins, each of which is used once. Only the answers that are not
 * looked at have them.
 */
async function visitorSecrets(
  world: World,
  site: { id: number; domain: string },
): Promise<string[]> {
  const { dashboard, host } = world
  const at = (id: number, below: string) => world.path(`/sites/${id}${below}`)
  const call = async (method: string, path: string, body?: object) => {
    const answer = await dashboard.call(method, path, body)
    expect([path, answer.status < 300, answer.body.message]).toEqual([path, true, undefined])
    return answer
  }
  const visit = async (domain: string, { user, password }: Access) => {
    const options = ['--user', `${user}:${password}`]
    const isLetIn = async () => {
      const answer = await get(host, `http://${domain}/`, { options }).catch(() => undefined)
      return answer?.status === 200
    }
    expect(await settles(isLetIn)).toBe(true)
  }

  const cloned = await call('POST', world.path('/sites/clone'), {
    ...{ domain: STAGING, staging: true, tls: 'none' },
    from: { kind: 'site', site_id: site.id },
  })
  expect((await endOf(dashboard, cloned)).event).toBe('complete')
  const staging = (cloned.body.site as { id: number }).id
  const show = async (id: number, of: string) =>
    (await call('POST', at(id, `/${of}`))).body as unknown as Access
  const former = await show(staging, 'staging-password')
  await visit(STAGING, former)
  const changed = await show(staging, 'staging-password/change')
  await visit(STAGING, changed)

  const protect = { basic_auth: { user: 'client' } }
  await dashboard.stream('PATCH', at(site.id, '/settings'), protect)
  const visitor = await show(site.id, 'visitor-password')
  await visit(site.domain, visitor)
  await dashboard.stream('PATCH', at(site.id, '/settings'), { basic_auth: null })

  const login = await call('POST', at(site.id, '/wordpress-login'), {})
  const { url, token } = login.body as { url: string; token: string }
  const entered = await get(host, url, { options: ['--data', `token=${token}`] })
  expect(entered.status).toBe(303)

  const sent = [former, changed, visitor].flatMap(({ user, password }) => [
    ...[password, `${user}:${password}`],
  ])
  return [...sent, token]
}

/** Has the dashboard record its own backups again, as a new dashboard does it with the kit. */
async function adoptAgain(
  call: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>,
  world: World,
  wanted: { target_id: number; repository: string },
): Promise<void> {
  const { target_id, repository } = wanted
  const search = { target_id, repositories: [repository] }
  const found = await call('POST', world.path('/backup-search'), search)
  const [{ keys = [] } = {}] = found.repositories as { keys: { sealed: string }[] }[]
  const key = String(found.dashboard_key)
  const sealed_passwords = keys.map(({ sealed }) => {
    const opened = privateDecrypt({ key: kit.privateKey, ...OAEP }, Buffer.from(sealed, 'base64'))
    return publicEncrypt({ key, ...OAEP }, opened).toString('base64')
  })
  const adopted = await call('POST', world.path('/backup-adopt'), { ...wanted, sealed_passwords })
  expect(adopted).toMatchObject({ repository, added: 0 })
}

interface Calls {
  /** Both look at what is answered. */
  call(method: string, path: string, body?: object): Promise<unknown>
  last(path: string, body?: object): Promise<{ event: string; data?: unknown } | undefined>
}

/** Everything else that opens a backup with the secrets of its storage: it is read, proven and pushed. */
async function useBackups(
  { call, last }: Calls,
  world: World,
  site: { id: number; backup_id: number },
): Promise<void> {
  const at = world.path(`/sites/${site.id}`)
  const ends = async (path: string, body: object = {}) => {
    const end = await last(path, body)
    expect([path, end?.event, end?.data]).toEqual([path, 'complete', end?.data])
  }
  const backup = `${at}/backups/${site.backup_id}`
  expect(await call('GET', `${backup}/files?path=wp-content`)).toHaveProperty('entries')
  for (const part of ['files&path=wp-content', 'files&path=index.php', 'database']) {
    const response = await world.dashboard.open(`${backup}/download?part=${part}`)
    expect([part, response.status, (await response.bytes()).length > 100]).toEqual([
      part,
      200,
      true,
    ])
  }
  expect(await call('POST', `${at}/backups/refresh`)).toEqual({ gone: 0, found: 0 })
  await ends(`${at}/backups/prove`)
}

/** A staging site is refreshed from the backup and from the live site, and pushed, with a backup first. */
async function pushStaging(
  { call, last }: Calls,
  world: World,
  site: { id: number; backup_id: number },
): Promise<void> {
  const { copies } = ((await call('GET', `/api/fleet/sites/${site.id}`)) as Shown).site
  const staging = copies.find(({ domain }) => domain.startsWith('staging.'))
  if (!staging) throw new Error('There is no staging site')
  const ends = async (path: string, body: object = {}) =>
    expect([path, (await last(path, body))?.event]).toEqual([path, 'complete'])
  const refresh = world.path(`/sites/${staging.id}/refresh`)
  await ends(refresh, { from: { kind: 'backup', backup_id: site.backup_id } })
  await ends(refresh)
  const at = world.path(`/sites/${site.id}`)
  await ends(`${at}/compare`, { staging_id: staging.id })
  await ends(`${at}/backups`)
  await ends(`${at}/push`, { staging_id: staging.id, files: true })
}

type Shown = { site: { copies: { id: number; domain: string }[] } }

const DOMAIN = 'shop.example.test'
const USER = 'canary-4f1e'
const CONTROL = 'canary-control-9d1e'
const WRONG = 'canary/S3+secret"7be2"\\3c4d'
const PASSWORDS = '/var/lib/hosting-agent/backups/shop*/passwords/shop*'

unless(lab.available()).describe('the secrets of backups', () => {
  const world = new World({
    name: 'trixie',
    suite: 'trixie',
    init: 'systemd',
    php: '8.4',
    image: 'provisioned',
  })
  const answers = new Watcher()
  let watch: SecretWatch
  let known: Record<string, string>
  /** The path of the file that has the repository's password. */
  let file: string
  let visitors: string[]
  let keeper: Awaited<ReturnType<typeof keeperOn>>

  /** Every answer and every event is looked at. */
  const call = async (method: string, path: string, body?: object) => {
    const answer = await world.dashboard.call(method, path, body)
    answers.see(`answer of ${method} ${path}`, JSON.stringify(answer.body))
    return answer.body as Record<string, { id: number }>
  }
  const last = async (path: string, body: object = {}) => {
    const events = await world.dashboard.stream('POST', path, body)
    answers.see(`events of POST ${path}`, JSON.stringify(events))
    return events.at(-1)
  }
  const addTarget = async (name: string, place: object, secret: string, more = {}) => {
    const added = await call('POST', '/api/backup-targets', { name, place, secret, ...more })
    if (!added.target) throw new Error(`${name}: ${JSON.stringify(added)}`)
    return { target_id: added.target.id }
  }

  /** A check with a wrong secret and with the right one, and a backup. */
  const tryTarget = async (
    { target: { place, secret }, wrong_secret }: { target: Target; wrong_secret: string },
    check: string,
    backups: string,
  ) => {
    const { kind } = place
    const wrong = await addTarget(`${kind}, wrong`, place, wrong_secret)
    const right = await addTarget(kind, place, secret)
    const calls = [() => last(check, wrong), () => last(check, right), () => last(backups, right)]
    const ends: unknown[] = [kind]
    for (const each of calls) ends.push((await each())?.event)
    expect(ends).toEqual([kind, 'error', 'complete', 'complete'])
  }

  beforeAll(async () => {
    await world.start()
    const storage = await startRestServer({ users: [USER] })
    const { place, secret } = storage.target(USER)
    const s3 = { target: (await startS3Server()).target, wrong_secret: WRONG }
    const { target: account, other_key } = await startSftpServer()
    const sftp = { target: account, wrong_secret: other_key }
    known = {
      control: CONTROL,
      rest: secret,
      wrong: WRONG,
      s3: s3.target.secret,
      ssh: tellingPart(account.secret),
      wrong_ssh: tellingPart(other_key),
    }
    watch = new SecretWatch(world.host)
    await watch.start(Object.values(known))
    answers.watch(new Map([[world.dashboard.process.child.pid ?? 0, 'dashboard']]))
    await putRestic(world.host)
    await world.register()
    await last(world.path('/provision'), { php_versions: ['8.4'] })
    const created = await world.dashboard.call('POST', world.path('/sites'), {
      domain: DOMAIN,
      php: '8.4',
      tls: 'none',
    })
    answers.see('answer of the site', JSON.stringify(created.body))
    expect(await endOf(world.dashboard, created)).toMatchObject({ event: 'complete' })
    const site = created.body.site as { id: number }
    await confirmKit(world.dashboard)
    const backups = world.path(`/sites/${site.id}/backups`)
    const check = world.path('/backup-check')
    keeper = await keeperOn(storage.host, `${storage.folder}/${USER}`)
    const target = await addTarget('REST', place, secret, { keeper_key: keeper.key })
    expect((await last(check, target))?.event).toBe('complete')
    expect((await last(backups))?.event).toBe('complete')
    file = (await world.host.must(['bash', '-c', `echo ${PASSWORDS}`])).trim()
    known.repository = (await world.host.must(['cat', file])).trim()
    await watch.lookFor(Object.values(known))

    const shown = await call('GET', backups)
    const [backup] = shown.backups as unknown as { id: number }[]
    const parts = { files: true, database: true }
    const restored = await last(`${backups}/restore`, { backup_id: backup?.id, parts })
    expect(restored?.event).toBe('complete')
    expect((await last(`${backups}/undo`))?.event).toBe('complete')
    const used = { id: site.id, backup_id: backup?.id ?? 0 }
    await useBackups({ call, last }, world, used)
    // A move sends the same: a target with its secret, and a password, inside of another param.
    const copy = await world.dashboard.call('POST', world.path('/sites/clone'), {
      ...{ domain: 'again.example.test', tls: 'none' },
      from: { kind: 'backup', backup_id: backup?.id },
    })
    answers.see('answer of the copy', JSON.stringify(copy.body))
    expect((await endOf(world.dashboard, copy)).event).toBe('complete')
    const repository = file.split('/').at(-1) ?? ''
    await adoptAgain(call, world, { ...target, repository })
    visitors = await visitorSecrets(world, { id: site.id, domain: DOMAIN })
    await pushStaging({ call, last }, world, used)
    for (const each of [s3, sftp]) await tryTarget(each, check, backups)
    expect((await last(check, await addTarget('Wrong password', place, WRONG)))?.event).toBe(
      'error',
    )
    for (const path of [
      'backup-targets',
      'backup-kit',
      'fleet/backups',
      'activity?limit=500',
      'operations',
      'settings',
    ])
      await call('GET', `/api/${path}`)
    await answers.seeFiles('data', world.dashboard.data_dir)
    answers.see('output of the dashboard', world.dashboard.process.lines.join('\n'))
    answers.stop()
  }, 25 * MINUTES)
  afterAll(() => world.stop(), 5 * MINUTES)

  test('are in their own files and nowhere else', async () => {
    expect(known.repository).toMatch(/^[A-Za-z0-9]{48}$/)
    expect(visitors).toHaveLength(7)
    const secrets = [...Object.values(known), ...visitors]

    // Shows that processes are looked at.
    await world.host.must(['env', `CONTROL=${CONTROL}`, 'sleep', '1'])
    const found = await watch.found(secrets)
    const control = found.filter((place) => place.endsWith(CONTROL))
    expect(found.filter((place) => !control.includes(place))).toEqual([file])
    expect(control).not.toEqual([])
    expect(secrets.flatMap((secret) => answers.placesOf(secret))).toEqual([])
    expect(answers.placesOf(tellingPart(kit.privateKey))).toEqual([])
    expect(answers.placesOf(DOMAIN)).not.toEqual([])
  })
  test('are in no process, journal or report of the keeper, which opens the same repositories', async () => {
    expect(await keeper.found(known.repository ?? '')).toEqual([KEEPER_KEY])
  })
})
