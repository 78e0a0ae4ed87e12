import { describe, expect, test } from 'bun:test'
import { CommandFailed } from '#agent/host/errors.ts'
import { link } from '#agent/host/simulated/nodes.ts'
import { onlyPrograms } from '#agent/os/as-site/empty-root.ts'
import { makeHarmless } from '#agent/os/backup/harmless.ts'
import { backupServer } from '#tests/support/agent/backup.ts'
import { shop } from '#tests/support/agent/debian.ts'

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

  expect(await makeHarmless(host, shop.user, TREE)).toEqual([])

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

  expect(await makeHarmless(host, shop.user, TREE)).toEqual([
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

      expect(await reasonOf(makeHarmless(host, shop.user, TREE))).toBe(
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
      expect(await reasonOf(makeHarmless(host, shop.user, path))).toMatch(/ is not a folder/)
    }
  })

  test('a device', async () => {
    const host = await fetched()
    host.answer('find', 'pd')

    expect(await reasonOf(makeHarmless(host, shop.user, TREE))).toBe(
      'These files contain a device, which no site can have',
    )
  })

  test('files of which one cannot be changed', async () => {
    const host = await fetched()
    host.fail('find', 'find: chown: File name too long')

    const failure = await makeHarmless(host, shop.user, TREE).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(CommandFailed)
  })

  test('a user that the server does not have, and root', async () => {
    const host = await fetched()

    expect(await reasonOf(makeHarmless(host, 'nobody-here', TREE))).toBe(
      '/etc/passwd has no user nobody-here with a number that a site can have',
    )
    expect(await reasonOf(makeHarmless(host, 'root', TREE))).toBe(
      '/etc/passwd has no user root with a number that a site can have',
    )
    expect(host.ran).toEqual([])
  })
})
