// tier: gate
import { describe, expect, test } from 'bun:test'
import { insertMove } from '#dashboard/features/moves/queries.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { copyingAgent } from '#tests/support/dashboard/copies.ts'
import { bulkEnded, lostServer, setServer } from '#tests/support/dashboard/lost.ts'
import { movesSites } from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const DOMAIN = 'shop.example'
const COPY = { domain: DOMAIN, copy: true }

/** A lost server whose site shop.example has a copy on others, from a move that did not end. */
async function withCopies(left: 'on the second server' | 'on a third server') {
  const all = await lostServer()
  const { dashboard, two, second, shop } = all
  const three = copyingAgent()
  movesSites('two', two)
  movesSites('two', three)
  const added = await dashboard.call('POST', '/api/servers', {
    ...{ hostname: 'localhost', port: three.agent.port, name: 'web-3' },
  })
  const third: number = added.body.server.id
  await setServer(dashboard, third, { status: 'online' })
  const other_id = left === 'on a third server' ? third : second
  await insertMove(dashboard.db, {
    ...{ site_id: shop, other_id, operation_id: 'a-move', progress: { receiving: true } },
  })
  two.given.length = 0
  const restored = async () => {
    const { body } = await all.recover({ sites: [{ site_id: shop, server_id: second }] })
    return (await bulkEnded(dashboard, body.bulk_operation.id)).counts
  }
  const end = async () => {
    await all[Symbol.asyncDispose]()
    await three.agent[Symbol.asyncDispose]()
  }
  return { ...all, three, third, restored, [Symbol.asyncDispose]: end }
}

/** What an agent was asked to do, without what it only reads. */
const asked = ({ given }: ReturnType<typeof copyingAgent>) =>
  given.map((each) => Object.entries(each)[0] ?? [])

describe('the copy of a move whose site is restored from a lost server', () => {
  test('is deleted before the site is restored in its place', async () => {
    await using all = await withCopies('on the second server')

    const { success } = await all.restored()

    expect(success).toBe(1)
    expect(asked(all.two)).toEqual([
      ['site.delete', COPY],
      ['site.purge', { domain: DOMAIN, confirm: DOMAIN, trashed_days: 0 }],
      ['site.clone', expect.not.objectContaining({ copies: expect.anything() })],
    ])
    expect(await findMove(all.dashboard.db, all.shop)).toBeUndefined()
    expect((await all.site(all.shop)).server_id).toBe(all.second)
  })

  test('goes to the trash of another server, which forwards to the lost one no longer', async () => {
    await using all = await withCopies('on a third server')
    const kept = { user: 'shop1', size: 7, deleted_at: '2026-11-01T00:00:00.000Z' }
    const made = { php: '8.2', tier: 'small', tls: 'none', restorable: true } as const
    all.three.agent.trash = [{ domain: DOMAIN, ...kept, ...made }]

    const { success } = await all.restored()

    expect(success).toBe(1)
    expect(asked(all.three)).toEqual([['site.delete', COPY]])
    expect(asked(all.two).map(([command]) => command)).toEqual(['site.clone'])
    const { body } = await all.dashboard.call('GET', '/api/trash')
    expect(body.trash).toMatchObject([{ domain: DOMAIN, server_id: all.third, size: 7 }])
  })

  test('stays on another server that does not answer, and the site is restored', async () => {
    await using all = await withCopies('on a third server')
    await setServer(all.dashboard, all.third, { status: 'offline' })

    const { success } = await all.restored()

    expect([success, asked(all.three)]).toEqual([1, []])
  })

  test('that cannot be deleted on the new server ends the restore, which can be retried', async () => {
    await using all = await withCopies('on the second server')
    const { works } = all.two.agent
    const usual = works.get('site.delete')
    works.set('site.delete', async function* () {
      yield 'Trying'
      throw new Refused({ error: 'Conflict', message: 'The disk is full' })
    })

    const first = await all.restored()
    if (usual) works.set('site.delete', usual)
    const second = await all.restored()

    expect([first.failed, second.success]).toEqual([1, 1])
    expect(asked(all.two).map(([command]) => command)).toEqual([
      ...['site.delete', 'site.purge', 'site.clone'],
    ])
  })

  test('is not there if the move had not begun to copy: the plan is that of the restore', async () => {
    await using all = await withCopies('on the second server')
    const { dashboard, shop, two, second } = all
    const row = { site_id: shop, other_id: second, operation_id: 'a-move' }
    await insertMove(dashboard.db, { ...row, progress: { leaving: '' } })
    two.agent.plan = { steps: [{ name: 'user', title: 'User', effects: [] }] }
    const sites = [{ site_id: shop, server_id: second }]

    const { body } = await all.recover({ sites, dry_run: true, confirm: undefined })

    expect(body.plans[0].plan).toEqual(two.agent.plan)
  })

  test('stands in the plan, with what is permanent', async () => {
    await using all = await withCopies('on the second server')
    const sites = [{ site_id: all.shop, server_id: all.second }]

    const { body } = await all.recover({ sites, dry_run: true, confirm: undefined })

    expect(body.plans).toEqual([
      {
        ...{ server_id: all.second, site_id: all.shop, domain: DOMAIN, error: null },
        plan: {
          steps: [
            {
              name: `copy_${all.second}`,
              title: `Deleting permanently the copy of ${DOMAIN} that its move left on localhost`,
              effects: [{ action: 'remove', kind: 'site', name: DOMAIN }],
              notes: [
                'The restore needs its names and its user. Its own steps are known after this one.',
              ],
            },
          ],
        },
      },
    ])
    expect(asked(all.two)).toEqual([])
  })
})
