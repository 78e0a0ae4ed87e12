import { expect, test } from 'bun:test'
import { siteClone } from '#agent/commands/site.clone.ts'
import { replacedOf } from '#agent/os/backup/places.ts'
import { fromSite, run, siteServer } from '#tests/support/agent/cloning.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { during, keeps, REPLACED, REPLACING } from '#tests/support/agent/replaced.ts'

const TIMER = 'hosting-cron@shop.timer'
const STOP = `systemctl stop ${TIMER}`
const START = `systemctl start ${TIMER}`

test('is refused while the content of the original is being replaced', async () => {
  const host = await siteServer()
  keeps(host, shop.user)

  expect(await run(host, fromSite)).toEqual([[], REPLACING(shop.domain)])
  await expect(siteClone.plan(fromSite, host)).rejects.toThrow(REPLACING(shop.domain))
  expect(host.ran).not.toContain(STOP)
})

test('is refused when that begins before the copy, and leaves the jobs alone', async () => {
  const host = await siteServer()
  during(host, 'useradd', () => keeps(host, shop.user))

  const [, reason] = await run(host, fromSite)

  expect(reason).toBe(REPLACING(shop.domain))
  expect(host.ran.filter((line) => line === STOP || line === START)).toEqual([])
})

test.each([
  ['while the database is copied', 'xargs', false],
  ['while the files are copied', 'tar --create', false],
  ['and ends before the files are copied', 'xargs', true],
])('fails when a restore of the original begins %s', async (_, program, ends) => {
  const host = await siteServer()
  during(host, program, () => {
    keeps(host, shop.user)
    if (ends) void host.disk.remove(replacedOf(shop.user))
  })

  const [lines, reason] = await run(host, fromSite)

  expect(reason).toBe(REPLACED(shop.domain, 'copy'))
  expect(lines).toContain('Undoing: Pausing the jobs of shop.example')
  expect(host.ran.filter((line) => line === STOP || line === START)).toEqual(
    ends ? [STOP, START] : [STOP],
  )
  expect([...host.databases.keys()]).toEqual(['shop'])
})
