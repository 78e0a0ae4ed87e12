// tier: gate
import { describe, expect, test } from 'bun:test'
import { ADDRESSES, twoServers } from '#tests/support/dashboard/copies.ts'
import { makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { Refused } from '#tests/support/fake-operation.ts'

type All = Awaited<ReturnType<typeof twoServers>>

const copyTo = async ({ clone, second, shop }: All): Promise<number> => {
  const from = { kind: 'site', site_id: shop }
  return (await clone(second, { domain: 'copy.example', from })).body.site.id
}

const ended = ({ site }: All, id: number) =>
  until(async () => {
    const now = await site(id)
    return now.status !== 'provisioning' && now
  })

/** Backups wait for the returned call. */
function held({ one }: All): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const usual = one.agent.works.get('backup.create')
  one.agent.works.set('backup.create', async function* (params) {
    yield 'Waiting'
    await promise
    if (!usual) throw new Error('no work')
    return yield* usual(params)
  })
  return resolve
}

describe('a copy of a site on another server', () => {
  test('is made from a backup that starts with it', async () => {
    await using all = await twoServers()

    const id = await copyTo(all)

    const { status, operations } = await ended(all, id)
    const source = await all.site(all.shop)
    expect([status, all.one.given.map((each) => Object.keys(each)[0])]).toEqual([
      'active',
      ['backup.create'],
    ])
    expect(source.operations[0]).toMatchObject({ type: 'backup.create', status: 'success' })
    expect(all.two.given[0]?.['site.clone']?.from).toMatchObject({
      ...{ kind: 'backup', repository: source.user, backup: '1'.repeat(64) },
    })
    const events = await all.dashboard.send('GET', `/api/operations/${operations[0].id}/events`)
    expect(await events.text()).toContain(
      'Backing up shop.example on 127.0.0.1, to copy it from there',
    )
  })

  test('continues after a restart of the dashboard, with one backup', async () => {
    await using all = await twoServers()
    const resume = held(all)
    const id = await copyTo(all)
    await until(() => all.one.agent.started.size > 2)

    await all.dashboard.deps.worker.stop()
    await using again = await makeDashboard({ folder: all.dashboard.folder })
    await again.deps.worker.resume()
    resume()

    const { status } = await ended(all, id)
    const { body } = await again.call('GET', '/api/operations?type=backup.create')
    expect([status, body.operations.length]).toEqual(['active', 1])
  })

  test('fails with the reason of the backup, and a retry backs up again', async () => {
    await using all = await twoServers()
    const usual = all.one.agent.works.get('backup.create')
    all.one.agent.works.set('backup.create', async function* () {
      yield 'Saving'
      throw new Refused({ error: 'Conflict', message: 'The storage is full' })
    })
    const id = await copyTo(all)
    const failed = await ended(all, id)
    if (usual) all.one.agent.works.set('backup.create', usual)

    await all.dashboard.call('POST', `/api/operations/${failed.operations[0].id}/retry`)

    const { status } = await until(async () => {
      const now = await all.site(id)
      return now.status === 'active' && now
    })
    expect([failed.status, failed.status_reason]).toEqual([
      'failed',
      'The backup of shop.example failed: The storage is full',
    ])
    expect(status).toBe('active')
  })

  test('is cancelled while it waits for the backup, which continues', async () => {
    await using all = await twoServers()
    const resume = held(all)
    const id = await copyTo(all)
    const { operation_id } = await until(async () => {
      const now = await all.site(id)
      return all.one.agent.started.size > 2 && now
    })

    await all.dashboard.call('POST', `/api/operations/${operation_id}/cancel`, {})

    const cancelled = await ended(all, id)
    resume()
    const backups = `/api/servers/${all.first}/sites/${all.shop}/backups`
    await until(async () => (await all.dashboard.call('GET', backups)).body.backups.length === 1)
    expect([cancelled.status, all.two.given]).toEqual(['cancelled', []])
  })

  test('that is a staging site is refreshed from a backup, too', async () => {
    await using all = await twoServers()
    const until = '2126-01-08T00:00:00.000Z'
    all.two.agent.works.set('site.refresh', async function* (params) {
      all.two.given.push({ 'site.refresh': params })
      yield 'Copying the files'
      const at = '2026-01-01T00:00:00.000Z'
      return { status: 'ok', domain: params.domain, at, until, addresses: ADDRESSES }
    })
    const from = { kind: 'site', site_id: all.shop }
    const made = await all.clone(all.second, { domain: 'copy.example', from, staging: true })
    const id = made.body.site.id
    await ended(all, id)

    const at = `/api/servers/${all.second}/sites/${id}/refresh`
    const text = await (await all.dashboard.send('POST', at, {})).text()

    expect(text).toContain('event: complete')
    expect(all.one.given.map((each) => Object.keys(each)[0])).toEqual([
      'backup.create',
      'backup.create',
    ])
    expect(all.two.given[1]?.['site.refresh']).toMatchObject({
      ...{ domain: 'copy.example', from: { kind: 'backup', backup: '2'.repeat(64) } },
    })
  })

  test('is 409 without a kit or a target, and nothing is recorded', async () => {
    await using all = await twoServers({ ready: false })
    const from = { kind: 'site', site_id: all.shop }

    const { status, body } = await all.clone(all.second, { domain: 'copy.example', from })

    expect([status, body.message]).toEqual([
      409,
      'No recovery kit is confirmed: create one on the page Backups, and store it safely',
    ])
    expect((await all.dashboard.call('GET', '/api/fleet/sites')).body.total).toBe(1)
  })
})
