import { describe, expect, test } from 'bun:test'
import { backupProve } from '#agent/commands/backup.prove.ts'
import { backupRestore } from '#agent/commands/backup.restore.ts'
import { backupUndo } from '#agent/commands/backup.undo.ts'
import { siteCatchUp } from '#agent/commands/site.catch-up.ts'
import { siteClone } from '#agent/commands/site.clone.ts'
import { sitePush } from '#agent/commands/site.push.ts'
import { siteReceive } from '#agent/commands/site.receive.ts'
import { siteRefresh } from '#agent/commands/site.refresh.ts'
import { link } from '#agent/host/simulated/nodes.ts'
import { savedSite, TARGET } from '#tests/support/agent/backup.ts'
import * as cloning from '#tests/support/agent/cloning.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { emptyServer, PAGE, receivingServer } from '#tests/support/agent/moving.ts'
import { pair } from '#tests/support/agent/pair.ts'
import { provableSite } from '#tests/support/agent/proof.ts'
import { during } from '#tests/support/agent/replaced.ts'
import { copy as staging } from '#tests/support/agent/staging.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

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
