import { describe, expect, test } from 'bun:test'
import { pauseJobs, resumeJobs } from '#agent/features/backups/pause-jobs.ts'
import { siteJobs } from '#agent/features/jobs/site.jobs.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { siteResume } from '#agent/features/sites/site.resume.ts'
import { siteSuspend } from '#agent/features/sites/site.suspend.ts'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { MAX_JOBS, type SiteJob } from '#shared/jobs/site-jobs.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const UNITS = '/etc/systemd/system'
const job = (name: string, more: Partial<SiteJob> = {}): SiteJob => ({
  ...{ name, schedule: '0 3 * * *', command: 'wp cache flush', max_minutes: 60, enabled: true },
  ...more,
})
const set = (host: FakeHost, jobs: SiteJob[]) =>
  outcome(siteJobs.run({ domain, jobs }, contextOf(host)))
const units = (host: FakeHost) =>
  Object.keys(host.disk.all)
    .filter((path) => path.startsWith(`${UNITS}/hosting-job@`))
    .map((path) => path.slice(UNITS.length + 1))

describe('site.jobs', () => {
  test('makes a service and a timer for each job, and takes them away', async () => {
    const host = await server(shop)
    const before = Object.keys(host.disk.all)

    const [lines, result] = await set(host, [job('one'), job('two', { enabled: false })])

    expect(lines).toEqual([`Applying the cron jobs of ${domain}`, 'Recording the cron jobs'])
    expect(result).toEqual({ domain, jobs: [job('one'), job('two', { enabled: false })] })
    expect(units(host)).toEqual([
      ...['hosting-job@shop:one.service', 'hosting-job@shop:one.timer'],
      'hosting-job@shop:two.service',
    ])
    expect(host.disk.find(`${UNITS}/timers.target.wants/hosting-job@shop:one.timer`)).toBeDefined()
    expect(host.ran.slice(-2)).toEqual([
      'systemctl daemon-reload',
      'systemctl restart hosting-job@shop:one.timer',
    ])

    await set(host, [])

    expect(host.ran).toContain(
      'systemctl stop hosting-job@shop:one.timer hosting-job@shop:one.service hosting-job@shop:two.service',
    )
    const added = Object.keys(host.disk.all).filter((path) => !before.includes(path))
    expect(added).toEqual([
      '/usr/local/lib/hosting/bin',
      ...['/usr/local/lib/hosting/bin/php', '/usr/local/lib/hosting/bin/wp'],
    ])
    expect((await getSite(host, domain)).jobs).toBeUndefined()
  })

  test('is refused on a server without systemd', async () => {
    const host = await server(shop)
    host.init = 'direct'

    await expect(set(host, [job('one')])).resolves.toEqual([
      [],
      'Cron jobs of sites need a server that systemd started',
    ])
  })
})

describe('the jobs of a site', () => {
  const withJob = async () => {
    const host = await server(shop)
    await set(host, [job('one')])
    return host
  }

  test('stop while it is suspended, and stay recorded', async () => {
    const host = await withJob()

    await outcome(siteSuspend.run({ domain }, contextOf(host)))

    expect(units(host)).toEqual([])
    await outcome(siteResume.run({ domain }, contextOf(host)))
    expect(units(host)).toEqual(['hosting-job@shop:one.service', 'hosting-job@shop:one.timer'])
    expect(host.ran).toContain('systemctl restart hosting-job@shop:one.timer')
  })

  test('of a staging site are off', async () => {
    const host = await server({
      ...shop,
      staging: { of: 'live.example', user: 'staging', password_hash: `{SSHA}${'a'.repeat(40)}` },
    })

    await set(host, [job('one')])

    expect(units(host)).toEqual([])
  })

  test('follow its PHP version', async () => {
    const host = await withJob()
    const path = `${UNITS}/hosting-job@shop:one.service`
    await host.disk.write(path, (host.disk.text(path) ?? '').replaceAll('php8.2', 'php7.4'))

    await outcome(siteUpdate.run({ domain, tier: 'medium' }, contextOf(host)))

    expect(host.disk.text(path)).toContain('ExecStart=/usr/bin/php8.2 ')
  })

  test('start no run while the site is backed up', async () => {
    const host = await withJob()

    await pauseJobs(host, shop.user).apply()
    await resumeJobs(host, shop.user).apply()

    expect(host.ran.slice(-2)).toEqual([
      'systemctl stop hosting-cron@shop.timer hosting-job@shop:one.timer',
      'systemctl start hosting-cron@shop.timer hosting-job@shop:one.timer',
    ])
  })

  test('end when it is deleted', async () => {
    const host = await withJob()

    await outcome(siteDelete.run({ domain }, contextOf(host)))

    expect(units(host)).toEqual([])
    expect(host.ran).toContain(
      'systemctl stop hosting-job@shop:one.timer hosting-job@shop:one.service',
    )
  })
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
  const many = Array.from({ length: MAX_JOBS }, (_, at) => job(`job-${at}`))
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
