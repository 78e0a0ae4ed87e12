// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { SITE } from '#tests/support/system/backup-host.ts'
import {
  COPY,
  EVIL,
  ended,
  HARMLESS,
  HostileWorld,
  harm,
  leaks,
  othersOf,
} from '#tests/support/system/hostile-archive.ts'
import { publicOf, type Variant } from '#tests/support/system/hostile-entries.ts'
import { get } from '#tests/support/system/requests.ts'
import { releases } from '#tests/support/turns.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)

/** Copies that are made of such a backup or site, also on another server. */
function hostileCopies(world: () => HostileWorld): void {
  test('a clone on its server, one on another server, and a proof have nothing of others', async () => {
    const { one, two } = world()
    const { id } = await world().plant('everything')
    world().share()
    const from = { kind: 'backup', ...world().source(id) }
    for (const server of [one, two]) {
      const others = await othersOf(server.host)
      expect(ended(await world().clone(server, from))).toBe('complete')
      expect(await harm(server, COPY, others)).toEqual(HARMLESS)
      await world().removeCopy(server)
    }
    const others = await othersOf(one.host)
    await one.completed('backup.prove', { domain: EVIL.domain, ...world().source(id) })
    expect(await othersOf(one.host)).toBe(others)
  })

  test('a clone of a site copies no set-id bit and no pipe, and reads no public folder that is a link', async () => {
    const { one } = world()
    const others = await othersOf(one.host)
    const [folder, user] = [publicOf(EVIL.user), EVIL.user]
    const own = `cd ${folder} && mkfifo pipe && cp /bin/true suid && ln -s ${publicOf(SITE.user)}/private.txt link.txt
        chown -h ${user}:${user} pipe suid link.txt && chmod 6755 suid`
    await one.host.must(['bash', '-ec', own])

    expect(ended(await world().clone(one, { kind: 'site', domain: EVIL.domain }))).toBe('complete')
    expect(await harm(one, COPY, others)).toEqual(HARMLESS)
    await world().removeCopy(one)
    await one.host.must(['bash', '-ec', `cd ${folder} && rm pipe suid link.txt`])

    await one.host.must(['bash', '-ec', `mv ${folder} ${folder}.real && ln -s /etc/ssh ${folder}`])
    const answer = ended(await world().clone(one, { kind: 'site', domain: EVIL.domain }))
    expect(answer).toBe(`${folder} is not a folder: its files are not copied`)
    expect(await leaks(one.host, EVIL.domain)).toEqual([])
    await one.host.must(['bash', '-ec', `rm ${folder} && mv ${folder}.real ${folder}`])
  })

  test('a move brings nothing of others to the new server, and neither does its catch-up', async () => {
    const { one, two } = world()
    const { id, files } = await world().plant('everything')
    const from = world().source(world().good.id)
    const { backup: _, ...repository } = from
    const gathering = { domain: EVIL.domain, from: repository }
    const { gathered } = (await one.completed('site.gather', gathering)) as {
      gathered: { files: object }
    }
    const link = await world().plant('a link to /')
    world().share()
    const others = await othersOf(two.host)
    const params = { ...EVIL, php: world().php, peers: ['10.77.0.1'] }
    const hostile = { kind: 'backup', ...world().source(id) }

    expect(ended(await two.run('site.receive', { ...params, from: hostile }))).toBe('complete')
    // nginx knows the name a moment after the signal; until then it closes the connection.
    const isKnown = () =>
      get(two.host, `http://${EVIL.domain}/`).then(
        () => true,
        () => false,
      )
    await lab.poll(isKnown, { every_ms: 100, timeout_ms: 60_000, awaited: 'nginx knows the copy' })
    expect(await harm(two, EVIL, others)).toEqual(HARMLESS)
    const catchUp = (snapshot: string) => {
      const changed = { ...gathered, files: { ...gathered.files, snapshot } }
      return two.run('site.catch-up', {
        domain: EVIL.domain,
        from: repository,
        gathered: changed,
      })
    }
    expect(ended(await catchUp(files))).toBe('complete')
    expect(await harm(two, EVIL, others)).toEqual(HARMLESS)
    expect((await catchUp(link.files)).event).toBe('error')
    expect(await harm(two, EVIL, others)).toEqual(HARMLESS)
    const { snapshot } = gathered.files as { snapshot: string }
    expect(ended(await catchUp(snapshot))).toBe('complete')
    expect(await harm(two, EVIL, others)).toEqual(HARMLESS)
    expect((await get(two.host, `http://${EVIL.domain}/wp-login.php`)).status).toBe(200)
  })
}

const REFUSED: Variant[] = [
  'a link to /',
  'a link to /etc/ssh',
  'a link to the neighbour',
  'a file',
]

/** An archive of somebody who has the server and the repository of a site. */
for (const suite of releases('hostile-archive')) {
  unless(lab.available()).describe(`a hostile backup on ${suite}`, () => {
    let world: HostileWorld
    beforeAll(async () => {
      world = await HostileWorld.start(suite)
    }, 15 * MINUTES)
    afterAll(() => lab.switchDown(), 5 * MINUTES)

    const state = () => world.state()
    const restore = (...args: Parameters<HostileWorld['restore']>) => world.restore(...args)

    test('its links, owners, bits, pipes and marks are harmless after a restore, and its undo', async () => {
      const { one } = world
      const [before, others] = [await state(), await othersOf(one.host)]
      const { id } = await world.plant('everything')

      expect(ended(await restore(id))).toBe('complete')
      expect(await harm(one, EVIL, others)).toEqual(HARMLESS)
      expect(await one.host.must(['cat', `${publicOf(EVIL.user)}/line\nbreak`])).toBe('planted')
      expect(ended(await restore(world.good.id))).toBe('complete')
      expect(await state()).toBe(before)
      await one.completed('backup.undo', { domain: EVIL.domain })
      expect(await harm(one, EVIL, others)).toEqual(HARMLESS)
      expect(ended(await restore(world.good.id))).toBe('complete')
      expect(await state()).toBe(before)
    })

    test('chosen paths of it are harmless', async () => {
      const { one } = world
      const [before, others] = [await state(), await othersOf(one.host)]
      const { id } = await world.plant('everything')
      const paths = [
        ...['file-0.txt', 'file-1000.txt', 'file-1001.txt', 'folder-1000', 'passwd.txt', 'root'],
        ...['suid-root', 'suid-victim', 'sgid-folder', 'marked', 'one', 'd'.repeat(40), '{}'],
      ]

      expect(ended(await restore(id, { files: true, database: false, paths }))).toBe('complete')
      expect(await harm(one, EVIL, others)).toEqual(HARMLESS)
      await one.completed('backup.undo', { domain: EVIL.domain })
      expect(await state()).toBe(before)
      const pipe = { files: true, database: false, paths: ['pipe.php'] }
      expect(ended(await restore(id, pipe))).toBe('The backup does not have pipe.php')
      expect(await state()).toBe(before)
    })

    test.each(REFUSED)(
      'a public folder that is %s is refused everywhere, and nothing changes',
      async (variant) => {
        const { one, two } = world
        const { id } = await world.plant(variant)
        world.share()
        const before = [await state(), await othersOf(one.host), await othersOf(two.host)]
        const from = { kind: 'backup', ...world.source(id) }

        const answers = [
          await restore(id),
          await world.clone(one, from),
          await world.clone(two, from),
          await two.run('site.receive', { ...EVIL, php: world.php, from, peers: ['10.77.0.1'] }),
        ]

        const why = 'public is not a folder in these files'
        expect(answers.map(ended)).toEqual([why, why, why, why])
        const proof = await one.completed('backup.prove', {
          domain: EVIL.domain,
          ...world.source(id),
        })
        expect(proof.proof).toMatchObject({ proven: false })
        const after = [await state(), await othersOf(one.host), await othersOf(two.host)]
        expect(after).toEqual(before)
        for (const { host } of [one, two]) {
          expect(await host.must(['ls', '-A', '/srv/www'])).not.toMatch(/copy1a2b3c|proof-/)
        }
      },
    )

    test('a device is refused, and pipes as index.php and wp-config.php are left out', async () => {
      const { one } = world
      const [before, others] = [await state(), await othersOf(one.host)]
      const device = await world.plant('a device')

      expect((await restore(device.id)).event).toBe('error')
      expect(await state()).toBe(before)
      const pipes = await world.plant('pipes as index.php and wp-config.php')
      expect(ended(await restore(pipes.id))).toBe('complete')
      expect(await harm(one, EVIL, others)).toEqual(HARMLESS)
      expect(ended(await restore(world.good.id))).toBe('complete')
      expect(await state()).toBe(before)
    })

    hostileCopies(() => world)
  })
}
