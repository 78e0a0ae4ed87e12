import { expect, test } from 'bun:test'
import { siteJobs } from '#agent/commands/site.jobs.ts'
import { getSite } from '#agent/os/site/sites.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { MOST_JOBS, type SiteJob } from '#shared/site-jobs.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const job = (name: string, more: Partial<SiteJob> = {}): SiteJob => ({
  ...{ name, schedule: '0 3 * * *', command: 'wp cache flush', max_minutes: 60, enabled: true },
  ...more,
})

type Change = Omit<ParamsOf<'site.jobs'>, 'domain'>
const change = async (host: FakeHost, one: Change) =>
  (await outcome(siteJobs.run({ domain, ...one }, contextOf(host))))[1]
const jobsOf = async (host: FakeHost) => (await getSite(host, domain)).jobs ?? []

async function withJobs(...jobs: SiteJob[]): Promise<FakeHost> {
  const host = await server(shop)
  await change(host, { jobs })
  return host
}

test('one job is added beside the others, and a second time changes nothing', async () => {
  const host = await withJobs(job('own'))

  const added = { domain, jobs: [job('own'), job('purge')] }
  expect(await change(host, { add: job('purge') })).toEqual(added)
  expect(await change(host, { add: job('purge') })).toEqual(added)
  expect(await jobsOf(host)).toEqual(added.jobs)
})

test('another job of the name stays, and the plan says which', async () => {
  const host = await withJobs(job('purge', { command: 'wp transient delete --all' }))
  const message = `${domain} has another job purge: "wp transient delete --all" (0 3 * * *)`
  const before = host.disk.all

  expect(await change(host, { add: job('purge') })).toBe(message)
  const plan = siteJobs.plan?.({ domain, add: job('purge') }, host)
  expect(plan).rejects.toThrow(message)
  expect(host.disk.all).toEqual(before)
})

test('a site with the most jobs gets no other one', async () => {
  const many = Array.from({ length: MOST_JOBS }, (_, at) => job(`job-${at}`))
  const host = await withJobs(...many)

  expect(await change(host, { add: job('purge') })).toBe(`${domain} has 20 jobs, the maximum`)
})

test('one job is removed by its name, and a site that lacks it stays as it is', async () => {
  const host = await withJobs(job('own'), job('purge'))

  expect(await change(host, { remove: 'purge' })).toEqual({ domain, jobs: [job('own')] })
  expect(await change(host, { remove: 'purge' })).toEqual({ domain, jobs: [job('own')] })
  expect(await change(host, { remove: 'own' })).toEqual({ domain, jobs: [] })
  expect(await jobsOf(host)).toEqual([])
})

test('a failure restores the former jobs', async () => {
  const host = await withJobs(job('own'))
  const before = host.disk.all
  host.fail('systemctl restart hosting-job@shop:own.timer hosting-job@shop:purge.timer', 'no')

  expect(await change(host, { add: job('purge') })).toContain('no')
  expect(host.disk.all).toEqual(before)
})
