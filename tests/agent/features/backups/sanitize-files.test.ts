import { describe, expect, test } from 'bun:test'
import { backupProve } from '#agent/features/backups/backup.prove.ts'
import { backupRestore } from '#agent/features/backups/backup.restore.ts'
import { backupUndo } from '#agent/features/backups/backup.undo.ts'
import { sanitizeFiles } from '#agent/features/backups/sanitize-files.ts'
import { siteClone } from '#agent/features/copies/site.clone.ts'
import { sitePush } from '#agent/features/copies/site.push.ts'
import { siteRefresh } from '#agent/features/copies/site.refresh.ts'
import { siteCatchUp } from '#agent/features/moves/site.catch-up.ts'
import { siteReceive } from '#agent/features/moves/site.receive.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import { link } from '#agent/kernel/host/simulated/nodes.ts'
import { onlyPrograms } from '#agent/kernel/sandbox/empty-root.ts'
import { backupServer, savedSite, TARGET } from '#tests/support/agent/backup.ts'
import * as cloning from '#tests/support/agent/cloning.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { emptyServer, PAGE, receivingServer } from '#tests/support/agent/moving.ts'
import { pair } from '#tests/support/agent/pair.ts'
import { provableSite } from '#tests/support/agent/proof.ts'
import { during } from '#tests/support/agent/replaced.ts'
import { copy as staging } from '#tests/support/agent/staging.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const FOLDER = `/srv/www/.restore/${shop.user}/fetched`
const TREE = `${FOLDER}/public`

async function fetched() {
  const host = await backupServer(shop)
  host.disk.putFolder(FOLDER, { mode: 0o700 })
  host.disk.putText(`${TREE}/page.html`, 'as saved')
  host.runs.length = 0
  return host
}

test('gives everything to the account of the site, in a sandbox that has nothing but the folder', async () => {
  const host = await fetched()
  const [, , uid, gid] =
    /^shop:.*$/m.exec(host.disk.text('/etc/passwd') ?? '')?.[0].split(':') ?? []

  expect(await sanitizeFiles(host, shop.user, TREE)).toEqual([])

  expect(host.ran).toEqual([
    [
      'find -P /exchange/public -xdev -type b,c -printf d -delete',
      '-type p,s -printf p -delete',
      '-type d,f -perm /6000 -printf s -exec chmod ug-s {} +',
      `-type d,f,l ( ! -uid ${uid} -o ! -gid ${gid} ) -exec chown --no-dereference ${uid}:${gid} {} +`,
    ].join(' , '),
  ])
  const directives = host.runs[0]?.options.site?.directives ?? []
  expect(directives.filter((line) => /Path|File|Capability/.test(line))).toEqual([
    ...onlyPrograms({
      programs: ['/usr/bin/find', '/usr/bin/chmod', '/usr/bin/chown'],
      writes: [`${FOLDER}:/exchange`],
    }),
    'CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER',
  ])
  const { kind, mode, uid: owner, gid: group } = (await host.files.stat(TREE)) ?? {}
  expect({ kind, mode, owner, group }).toEqual({
    ...{ kind: 'directory', mode: 0o750, owner: Number(uid), group: Number(gid) },
  })
})

test('says what an owner may miss', async () => {
  const host = await fetched()
  host.answer('find', 'pspps')

  expect(await sanitizeFiles(host, shop.user, TREE)).toEqual([
    'Warning: 3 named pipes and sockets were left out',
    'Warning: 2 files and folders lost their set-user-ID or set-group-ID bit',
  ])
})

describe('refuses', () => {
  const reasonOf = (work: Promise<unknown>) =>
    work.then(
      () => 'accepted',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )

  test.each([['/'], ['/etc/ssh'], [`/srv/www/neighbour/public`]])(
    'a public folder that is a link to %s',
    async (target) => {
      const host = await fetched()
      host.disk.put(TREE, link(target))

      expect(await reasonOf(sanitizeFiles(host, shop.user, TREE))).toBe(
        'public is not a folder in these files',
      )
      expect(host.ran).toEqual([])
    },
  )

  test('a public folder that is a file, and one that is missing', async () => {
    const host = await fetched()
    host.disk.put(TREE, link('/'))
    host.disk.putText(`${FOLDER}/file`, '')

    for (const path of [`${FOLDER}/file`, `${FOLDER}/nothing`]) {
      expect(await reasonOf(sanitizeFiles(host, shop.user, path))).toMatch(/ is not a folder/)
    }
  })

  test('a device', async () => {
    const host = await fetched()
    host.answer('find', 'pd')

    expect(await reasonOf(sanitizeFiles(host, shop.user, TREE))).toBe(
      'These files contain a device, which no site can have',
    )
  })

  test('files of which one cannot be changed', async () => {
    const host = await fetched()
    host.fail('find', 'find: chown: File name too long')

    const failure = await sanitizeFiles(host, shop.user, TREE).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(CommandFailed)
  })

  test('a user that the server does not have, and root', async () => {
    const host = await fetched()

    expect(await reasonOf(sanitizeFiles(host, 'nobody-here', TREE))).toBe(
      '/etc/passwd has no user nobody-here with a number that a site can have',
    )
    expect(await reasonOf(sanitizeFiles(host, 'root', TREE))).toBe(
      '/etc/passwd has no user root with a number that a site can have',
    )
    expect(host.ran).toEqual([])
  })
})

type Run = (host: FakeHost) => Promise<[string[], unknown]>

interface Flow {
  host: FakeHost
  run: Run
  /** The user that gets the files. */
  user: string
  /** The files have no other folder before: nothing of the site runs or is served meanwhile. */
  in_place?: true
}

async function restoring(paths?: string[]): Promise<Flow> {
  const { host, restore } = await savedSite({ [PAGE]: 'as saved' })
  host.disk.putText(PAGE, 'before')
  const params = restore({ files: true, database: false, ...(paths && { paths }) })
  const run: Run = (on) => outcome(backupRestore.run(params, contextOf(on)))
  return { host, run, user: shop.user }
}

async function undoing(paths?: string[]): Promise<Flow> {
  const { host, run } = await restoring(paths)
  await run(host)
  host.disk.putText(PAGE, 'before')
  const undo: Run = (on) => outcome(backupUndo.run({ domain: shop.domain }, contextOf(on)))
  return { host, run: undo, user: shop.user }
}

async function cloningFromBackup(): Promise<Flow> {
  const { host, params } = await cloning.backupServer()
  return { host, run: (on) => outcome(siteClone.run(params, contextOf(on))), user: 'copy' }
}

async function cloningASite(): Promise<Flow> {
  const host = await cloning.siteServer()
  const run: Run = (on) => outcome(siteClone.run(cloning.fromSite, contextOf(on)))
  return { host, run, user: 'copy', in_place: true }
}

async function receiving(): Promise<Flow> {
  const { host, params } = await emptyServer()
  const run: Run = (on) => outcome(siteReceive.run(params, contextOf(on)))
  return { host, run, user: shop.user }
}

async function catchingUp(): Promise<Flow> {
  const { host, catchUp } = await receivingServer()
  host.disk.putText(PAGE, 'before')
  const run: Run = (on) => outcome(siteCatchUp.run(catchUp, contextOf(on)))
  return { host, run, user: shop.user, in_place: true }
}

async function refreshing(): Promise<Flow> {
  const { host } = await pair()
  const params = { domain: staging.domain, from: { kind: 'site' as const, domain: shop.domain } }
  const run: Run = (on) => outcome(siteRefresh.run(params, contextOf(on)))
  return { host, run, user: staging.user }
}

async function pushing(): Promise<Flow> {
  const { host } = await pair()
  const params = { domain: shop.domain, from: staging.domain, files: true, tables: [] }
  const run: Run = (on) => outcome(sitePush.run({ ...params, overwrite: [] }, contextOf(on)))
  return { host, run, user: shop.user }
}

const FROM_STORAGE: [string, () => Promise<Flow>][] = [
  ['a restore', () => restoring()],
  ['a clone of a backup', cloningFromBackup],
  ['the arrival of a site that moves', receiving],
]
const ALL: [string, () => Promise<Flow>][] = [
  ...FROM_STORAGE,
  ['a restore of chosen paths', () => restoring(['page.html'])],
  ['the undo of a restore', () => undoing()],
  ['the undo of a restore of chosen paths', () => undoing(['page.html'])],
  ['the catch-up of a move', catchingUp],
  ['a clone of a site', cloningASite],
  ['a refresh of a staging site', refreshing],
  ['a push', pushing],
]

const CHECK = 'find -P /exchange/'
const rootOf = (user: string) => `/srv/www/${user}/public`
const filesOf = ({ disk }: FakeHost, user: string) =>
  Object.entries(disk.all).filter(([path]) => path.startsWith(`${rootOf(user)}/`))

/** Every saved snapshot has a link where the public folder was. */
function plantLink({ disk }: FakeHost, target: string): void {
  for (const path of Object.keys(disk.all)) {
    const found = /^.*\/snapshots\/[0-9a-f]+\/public$/.exec(path)
    if (found && path.startsWith(TARGET.place.path)) disk.put(path, link(target))
  }
}

describe.each(ALL)('%s', (_, begin) => {
  test('checks the files before the site has them', async () => {
    const { host, run, user, in_place } = await begin()
    const before = filesOf(host, user)
    const checked: unknown[] = []
    during(host, CHECK, () => {
      checked.push(in_place ? before : filesOf(host, user))
    })

    const [, result] = await run(host)

    expect([typeof result, checked]).toEqual(['object', [before]])
  })

  test('fails and leaves the site as it was if the files cannot be made harmless', async () => {
    const { host, run, user } = await begin()
    const before = filesOf(host, user)
    host.answer(CHECK, 'd')

    const [, result] = await run(host)

    expect(result).toContain('These files contain a device, which no site can have')
    // A catch-up changes the only copy, which then stays in the folder of root.
    expect(filesOf(host, user)).toEqual(begin === catchingUp ? [] : before)
  })
})

describe.each(FROM_STORAGE)('%s', (_, begin) => {
  test.each([['/'], ['/etc/ssh']])('refuses a public folder that is a link to %s', async (to) => {
    const { host, run, user } = await begin()
    const before = filesOf(host, user)
    plantLink(host, to)

    const [, result] = await run(host)

    expect(result).toBe('public is not a folder in these files')
    expect(filesOf(host, user)).toEqual(before)
    expect(host.disk.find(`/srv/www/.restore/${user}/fetched`)).toBeUndefined()
  })
})

test('a catch-up that gets a link for the public folder leaves an empty folder, which the next one fills', async () => {
  const { host, run, user } = await catchingUp()
  const saved = { ...host.disk.all }
  plantLink(host, '/')

  const [, refused] = await run(host)

  expect(refused).toBe('public is not a folder in these files')
  expect((await host.files.stat(rootOf(user)))?.kind).toBe('directory')
  expect(filesOf(host, user)).toEqual([])
  expect(saved[PAGE]).toBe('before')
})

test('a proof reports a public folder that is a link, and ends', async () => {
  const { host, params, prove } = await provableSite()
  plantLink(host, '/')

  const [lines, result] = await prove()

  expect(result).toMatchObject({
    proof: {
      proven: false,
      findings: [{ code: 'damaged', message: 'public is not a folder in these files' }],
    },
  })
  expect(lines.at(-1)).toBe('The backup is not proven')
  expect(await backupProve.plan(params, contextOf(host).host)).toBeDefined()
})
