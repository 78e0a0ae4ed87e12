import { expect, test } from 'bun:test'
import { SITE } from './backup-host.ts'
import {
  COPY,
  EVIL,
  ended,
  expectHarmless,
  type HostileWorld,
  leaks,
  othersOf,
} from './hostile-archive.ts'
import { publicOf } from './hostile-entries.ts'
import { get } from './requests.ts'

const MINUTES = 60_000

/** Copies that are made of such a backup or site, also on another server. */
export function hostileCopies(world: () => HostileWorld): void {
  test(
    'a clone on its server, one on another server, and a proof have nothing of others',
    async () => {
      const { one, two } = world()
      const { id } = await world().plant('everything')
      world().share()
      const from = { kind: 'backup', ...world().source(id) }
      for (const server of [one, two]) {
        const others = await othersOf(server.host)
        expect(ended(await world().clone(server, from))).toBe('complete')
        await expectHarmless(server, COPY, others)
        await world().removeCopy(server)
      }
      const others = await othersOf(one.host)
      await one.completed('backup.prove', { domain: EVIL.domain, ...world().source(id) })
      expect(await othersOf(one.host)).toBe(others)
    },
    10 * MINUTES,
  )

  test(
    'a clone of a site copies no set-id bit and no pipe, and reads no public folder that is a link',
    async () => {
      const { one } = world()
      const others = await othersOf(one.host)
      const [folder, user] = [publicOf(EVIL.user), EVIL.user]
      const own = `cd ${folder} && mkfifo pipe && cp /bin/true suid && ln -s ${publicOf(SITE.user)}/private.txt link.txt
        chown -h ${user}:${user} pipe suid link.txt && chmod 6755 suid`
      await one.host.must(['bash', '-ec', own])

      expect(ended(await world().clone(one, { kind: 'site', domain: EVIL.domain }))).toBe(
        'complete',
      )
      await expectHarmless(one, COPY, others)
      await world().removeCopy(one)
      await one.host.must(['bash', '-ec', `cd ${folder} && rm pipe suid link.txt`])

      await one.host.must([
        'bash',
        '-ec',
        `mv ${folder} ${folder}.real && ln -s /etc/ssh ${folder}`,
      ])
      const answer = ended(await world().clone(one, { kind: 'site', domain: EVIL.domain }))
      expect(answer).toBe(`${folder} is not a folder: its files are not copied`)
      expect(await leaks(one.host, EVIL.domain)).toEqual([])
      await one.host.must(['bash', '-ec', `rm ${folder} && mv ${folder}.real ${folder}`])
    },
    10 * MINUTES,
  )

  test(
    'a move brings nothing of others to the new server, and neither does its catch-up',
    async () => {
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
      await expectHarmless(two, EVIL, others)
      const catchUp = (snapshot: string) => {
        const changed = { ...gathered, files: { ...gathered.files, snapshot } }
        return two.run('site.catch-up', {
          domain: EVIL.domain,
          from: repository,
          gathered: changed,
        })
      }
      expect(ended(await catchUp(files))).toBe('complete')
      await expectHarmless(two, EVIL, others)
      expect((await catchUp(link.files)).event).toBe('error')
      await expectHarmless(two, EVIL, others)
      const { snapshot } = gathered.files as { snapshot: string }
      expect(ended(await catchUp(snapshot))).toBe('complete')
      await expectHarmless(two, EVIL, others)
      expect((await get(two.host, `http://${EVIL.domain}/wp-login.php`)).status).toBe(200)
    },
    10 * MINUTES,
  )
}
