import { expect, test } from 'bun:test'
import { crontabOf, timerUnitOf } from '#agent/features/jobs/cron/files.ts'
import { settles } from '#tests/support/lab/wait.ts'
import { get } from '#tests/support/system/requests.ts'
import type { World } from '#tests/support/system/world.ts'

/** A page of WordPress, a file, and a token of ACME that does not exist. */
const PATHS = ['/', '/wp-includes/css/dashicons.min.css', '/.well-known/acme-challenge/none']

export function suspends(world: World): void {
  const statuses = async (base: string) => {
    const answers = await Promise.all(PATHS.map((path) => get(world.host, `${base}${path}`)))
    return answers.map(({ status }) => status)
  }
  const act = async (action: 'suspend' | 'resume', id: number) =>
    (await world.dashboard.call('POST', world.path(`/sites/${id}/${action}`))).body
  const stateOf = async (id: number) =>
    (await world.dashboard.call('GET', `/api/fleet/sites/${id}`)).body.site as { status: string }
  const hasJobs = async (user: string) => {
    const { host, variant } = world
    const asked =
      variant.init === 'systemd'
        ? ['systemctl', 'is-active', timerUnitOf(user)]
        : ['test', '-f', crontabOf(user)]
    return (await host.exec(asked)).code === 0
  }

  test('suspends a site for visitors and its jobs, and resumes it', async () => {
    const [one, two] = world.sites
    if (!one || !two) throw new Error('no sites')
    const base = `https://${two.domain}`
    expect(await statuses(base)).toEqual([200, 200, 404])

    expect(await act('suspend', two.id)).toEqual({
      status: 'ok',
      message: `Suspended ${two.domain}`,
    })

    const isClosed = async () => (await get(world.host, `${base}/`)).status === 503
    expect(await settles(isClosed)).toBe(true)
    expect(await statuses(base)).toEqual([503, 503, 404])
    const { headers, body } = await get(world.host, `${base}/wp-login.php`)
    expect(headers).toContain('retry-after: 86400')
    expect(headers).toContain('content-type: text/html')
    expect(body).toContain('This site is suspended')
    expect(await hasJobs(two.user)).toBe(false)
    expect(await statuses(`http://${one.domain}`)).toEqual([200, 200, 404])
    await world.sync()
    expect((await stateOf(two.id)).status).toBe('suspended')

    await act('resume', two.id)
    expect(await settles(async () => !(await isClosed()))).toBe(true)
    expect(await statuses(base)).toEqual([200, 200, 404])
    expect(await hasJobs(two.user)).toBe(true)
    expect((await stateOf(two.id)).status).toBe('active')
  })
}
