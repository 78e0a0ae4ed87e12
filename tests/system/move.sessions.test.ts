// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { addSite, lastOf, type MovedSite, moved } from '#tests/support/system/moved-site.ts'
import { PeopleAtWork } from '#tests/support/system/people-at-work.ts'
import { thawedBySystemd } from '#tests/support/system/sweep/cut-off.ts'
import { type Member, startTwoServers, type TwoServers } from '#tests/support/system/two-servers.ts'

const MINUTES = 60_000
const domain = 'shop.example.test'
const REFUSED: number[] = [255, 255, 255]
const ADMITTED: number[] = [0, 0, 0]

unless(lab.available()).describe('people who write while a site is moved or restored', () => {
  let world: TwoServers
  let shop: MovedSite
  let people: PeopleAtWork

  beforeAll(async () => {
    world = await startTwoServers()
    shop = await addSite(world, { domain, tls: 'none' })
    people = await PeopleAtWork.start(world, shop)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const kill = async ({ host }: Member) => {
    await Bun.sleep(200)
    await host.must(['systemctl', 'kill', '--signal=KILL', 'hosting-agent.service'])
  }
  const at = ({ id }: Member, below: string) => `/api/servers/${id}/sites/${shop.id}${below}`
  /** How a move to the second server ends. */
  const move = async (work: Record<string, () => Promise<unknown>>) => {
    const body = { server_id: world.two.id }
    return (await lastOf(world, at(world.one, '/move'), body, work))?.event
  }

  /** Restores the only backup. The previous database is saved in the pause, and waits for `hold`. */
  const restore = async (work: () => Promise<unknown>) => {
    const { one, dashboard } = world
    const { body } = await dashboard.call('GET', at(one, '/backups'))
    const [{ id: backup_id }] = body.backups as [{ id: number }]
    const parts = { files: true, database: true }
    const hold = 'LOCK TABLES wp_options WRITE; DO SLEEP(8)'
    const last = await lastOf(
      world,
      at(one, '/backups/restore'),
      { backup_id, parts },
      {
        stop: async () => void one.host.spawn(['mariadb', shop.user, '-e', hold]),
        dump: work,
      },
    )
    return last?.event
  }

  test(
    'a restore ends their sessions, admits nobody meanwhile, and everybody afterwards',
    async () => {
      const { one } = world
      expect(await people.logins(one)).toEqual(ADMITTED)
      expect((await lastOf(world, at(one, '/backups'), {}, {}))?.event).toBe('complete')
      const writing = await people.write(one)
      const seen: number[][] = []

      expect(await restore(async () => seen.push(await people.logins(one)))).toBe('complete')

      expect(await writing.cutOff()).toEqual([true, true])
      expect(seen).toEqual([REFUSED])
      expect(await people.logins(one)).toEqual(ADMITTED)
    },
    5 * MINUTES,
  )

  test(
    'are admitted again when the agent is killed in a restore',
    async () => {
      const { one } = world

      expect(await restore(() => kill(one))).toBe('error')

      expect(await people.areAdmitted(one)).toBe(true)
    },
    5 * MINUTES,
  )

  test.each(['frozen', 'changes'])(
    'are admitted again when the agent is killed while %s',
    async (part) => {
      const { one } = world

      const outcome = await move({ [part]: () => kill(one) })

      expect([outcome, await shop.server()]).toEqual(['error', one.id])
      expect(await people.areAdmitted(one)).toBe(true)
    },
    5 * MINUTES,
  )

  test(
    'are admitted again when systemd ends a freeze without the agent',
    async () => {
      const { one } = world
      const { user } = shop
      const page = `http://${domain}/`
      const seen: number[][] = []

      const outcome = await move({
        changes: () =>
          thawedBySystemd(one.host, {
            ...{ user, page },
            served: async () => void seen.push(await people.logins(one)),
          }),
      })

      expect([outcome, await shop.server()]).toEqual(['error', one.id])
      expect(seen).toEqual([ADMITTED])
    },
    5 * MINUTES,
  )

  test(
    'lose no acknowledged write at the switch, and continue at the other server',
    async () => {
      const { one, two } = world
      const writing = await people.write(one)
      const seen: number[][] = []

      const seconds = await moved(world, shop, {
        changes: async () => seen.push(await people.logins(one)),
      })

      expect(await writing.cutOff()).toEqual([true, true])
      expect(seen).toEqual([REFUSED])
      const acknowledged = writing.acknowledged()
      console.log(`acknowledged by SFTP and in the shell: ${acknowledged}; frozen for ${seconds} s`)
      for (const count of acknowledged) expect(count).toBeGreaterThan(50)
      expect(await writing.lost(two)).toEqual([])
      expect([await people.logins(one), await people.logins(two)]).toEqual([REFUSED, ADMITTED])
    },
    5 * MINUTES,
  )
})
