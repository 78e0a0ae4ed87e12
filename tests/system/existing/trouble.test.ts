// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { type Crowded, startCrowded } from '#tests/support/system/trouble.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const SITES = 1000
/** Half of what a dashboard waits for a list of sites; each trouble costs far less. */
const MAX_MS = 15_000
const CALLS = ['/health', '/metrics', '/services', '/conditions']

const reason = existsSync('/dev/fuse') ? undefined : 'needs /dev/fuse'

/** A hanging or missing part costs only its site the answer. */
unless(lab.available() ?? reason).describe('a server of 1,000 sites in trouble', () => {
  let server: Crowded

  beforeAll(async () => {
    server = await startCrowded(SITES)
  }, 8 * MINUTES)
  afterAll(() => lab.switchDown(), MINUTES)

  const mariadb = async () => (await server.host.must(['cat', '/run/mysqld/mysqld.pid'])).trim()
  const findsAll = async (wordpress = SITES, more: Record<string, number> = {}) => {
    const { counts, ms } = await server.sites()
    expect(counts).toEqual({ wordpress, ...more })
    expect(ms).toBeLessThan(MAX_MS)
  }

  test('finds all of them, and answers everything else meanwhile', async () => {
    const order: string[] = []
    const finding = findsAll().then(() => order.push('/sites'))
    const others = CALLS.map((path) => server.ask(path).then(() => order.push(path)))
    await Promise.all([finding, ...others])

    expect(order).toContain('/sites')
    expect(order.slice(0, 2)).toContain('/health')
  })

  test('finds all of them while MariaDB is frozen', async () => {
    const pid = await mariadb()
    await server.host.must(['kill', '-STOP', pid])
    try {
      await findsAll()
      expect(await server.scan('site3.example')).toMatchObject({ event: 'complete' })
      for (const path of CALLS) expect((await server.ask(path)).ms).toBeLessThan(MAX_MS)
    } finally {
      await server.host.must(['kill', '-CONT', pid])
    }
  })

  test('finds all of them while MariaDB is stopped', async () => {
    await server.host.must(['systemctl', 'stop', 'mariadb'])
    await findsAll()
    expect(await server.scan('site4.example')).toMatchObject({ event: 'complete' })
    await server.host.must(['systemctl', 'start', 'mariadb'])
  })

  test('finds all but the one whose files hang, and that one when they work again', async () => {
    const release = await server.hang('/var/www/site5')
    try {
      await findsAll(SITES - 1, { no_answer: 1 })
      await findsAll(SITES - 1, { no_answer: 1 })
      expect(await server.scan('site6.example')).toMatchObject({ event: 'complete' })
      for (const path of CALLS) expect((await server.ask(path)).ms).toBeLessThan(MAX_MS)
    } finally {
      await release()
    }

    // A site whose files hang is left alone for a minute.
    const back = async () => (await server.sites()).counts.wordpress === SITES
    expect(await lab.poll(back, { every_ms: 5000, timeout_ms: 2 * MINUTES })).toBe(true)
  })
})
