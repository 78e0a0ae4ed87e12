import { expect, test } from 'bun:test'
import { MAX_LISTED } from '#shared/backups/backup-find.ts'
import {
  addSite,
  backupAgent,
  checkedTarget,
  confirmKit,
  PASSWORD,
  streamed,
} from '#tests/support/dashboard/backups.ts'
import { ending, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

const TOTAL = 2 * MAX_LISTED + 5
const idOf = (at: number) => String(at).padStart(64, '0')
const DAY_MS = 24 * 3_600_000

/** Newest first. */
const ALL = Array.from({ length: TOTAL }, (_, index) => ({
  ...{ id: idOf(TOTAL - index), files: 5, bytes: 700, stored: 20, seconds: 3 },
  at: new Date(Date.parse('2025-12-31') - index * DAY_MS).toISOString(),
}))

/** A site with a backup, whose repository has many more. */
async function prepared() {
  const { agent } = backupAgent()
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const at = await addSite(dashboard, server_id)
  await confirmKit(dashboard)
  await checkedTarget(dashboard, server_id)
  await streamed(dashboard, at)
  const asked: { before?: string; password_ids: string[]; passwords: string[] }[] = []
  agent.answers.set('/backups/list', async (request) => {
    const body = await request.json()
    asked.push(body)
    const from = body.before ? ALL.findIndex(({ id }) => id === body.before) + 1 : 0
    const backups = ALL.slice(from, from + MAX_LISTED)
    const next = from + MAX_LISTED < TOTAL ? backups.at(-1)?.id : null
    const facts = { password: 0, domain: 'shop.example', tables: 3, excluded: [] }
    return Response.json({ ...facts, backups, next })
  })
  const rows = async () => {
    const found = await dashboard.db.read.all<{ snapshot: string; gone_at: string | null }>(
      'select snapshot, gone_at from backups order by at desc, id desc',
    )
    return found
  }
  const refresh = (to = `${at}/refresh`, body: object = {}) => dashboard.call('POST', to, body)
  return { agent, dashboard, server_id, asked, rows, refresh, ...ending(dashboard, agent) }
}

test('all backups of a large repository are recorded, page after page', async () => {
  await using all = await prepared()

  const { body } = await all.refresh()

  // The one that the dashboard knew is not in the repository.
  expect(body).toEqual({ gone: 1, found: TOTAL })
  const opening = { password_ids: [passwordIdOf(PASSWORD)], passwords: [] }
  expect(all.asked).toEqual(
    [undefined, idOf(TOTAL - MAX_LISTED + 1), idOf(TOTAL - 2 * MAX_LISTED + 1)].map((before) =>
      expect.objectContaining({ ...opening, ...(before !== undefined && { before }) }),
    ),
  )
  const rows = await all.rows()
  expect(rows.filter(({ gone_at }) => gone_at === null).map(({ snapshot }) => snapshot)).toEqual(
    ALL.map(({ id }) => id),
  )
  expect((await all.refresh()).body).toEqual({ gone: 0, found: 0 })
})

test('an agent that always names another page is asked a limited number of times', async () => {
  await using all = await prepared()
  let count = 0
  all.agent.answers.set('/backups/list', () => {
    count += 1
    const facts = { password: 0, domain: 'shop.example', tables: 3, excluded: [] }
    return Response.json({ ...facts, backups: [ALL[0]], next: ALL[0]?.id })
  })

  expect((await all.refresh()).body).toEqual({ gone: 0, found: 1 })
  expect(count).toBe(25)
})
