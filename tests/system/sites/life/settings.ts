import { expect, test } from 'bun:test'
import { settles } from '#tests/support/lab/wait.ts'
import { PAGE } from '#tests/support/system/load.ts'
import { get } from '#tests/support/system/requests.ts'
import { startSteadyLoad } from '#tests/support/system/steady-load.ts'
import type { World } from '#tests/support/system/world.ts'
import { answersJetpackOnly } from './xmlrpc.ts'

const VALUES = `<?php foreach (['memory_limit', 'upload_max_filesize', 'post_max_size', 'max_execution_time',
  'max_input_vars', 'max_file_uploads', 'session.cookie_samesite'] as $name) echo ini_get($name), ' ';`

export function appliesSettings(world: World): void {
  const url = (path = '/') => `http://${world.site.domain}${path}`
  const configure = async (change: object) => {
    const path = world.path(`/sites/${world.site.id}/settings`)
    const end = (await world.dashboard.stream('PATCH', path, change)).at(-1)
    if (end?.event !== 'complete') throw new Error(JSON.stringify(end))
    return end.data
  }
  const put = async (name: string, text: string) => {
    const { host, site } = world
    await host.put(`${site.docroot}/${name}`, text)
    await host.must(['chown', `${site.user}:www-data`, `${site.docroot}/${name}`])
  }
  const statusOf = async (path: string, options: string[] = []) =>
    (await get(world.host, url(path), { options })).status
  const becomes = (status: number, path: string, options: string[] = []) =>
    settles(async () => (await statusOf(path, options)) === status)

  test('applies limits and values of PHP and its tier under 50 requests a second, without losing a request', async () => {
    await put('values.php', VALUES)
    await put('load.php', PAGE)
    const load = startSteadyLoad(world.host, {
      ...{ domain: world.site.domain, path: '/load.php', per_second: 55 },
      expected: 'answered by ',
    })

    await configure({
      php_settings: {
        ...{ memory_limit: 192, upload: 100, execution_time: 90, input_vars: 4000 },
        values: { max_file_uploads: '50', 'session.cookie_samesite': 'None' },
      },
    })
    const values = (await get(world.host, url('/values.php'))).body
    const { site, dashboard } = world
    const change = { user: site.user, php_version: world.variant.php }
    for (const tier of ['large', 'medium'])
      await dashboard.call('POST', world.path('/pool-apply'), { ...change, tier })
    await configure({ php_settings: null })
    const { good, bad, reached } = await load.stop()

    expect(values.trim()).toBe('192M 100M 101M 90 4000 50 None')
    expect(bad).toEqual([])
    expect(reached).toBeGreaterThanOrEqual(50)
    expect(good).toBeGreaterThan(50)
  })

  test('refuses a value with which the site would fail, while it answers throughout', async () => {
    const statuses = new Set<number>()
    let visits = 0
    let isDone = false
    const visiting = (async () => {
      while (!isDone) statuses.add(await statusOf(`/?visit=${visits++}`))
    })()
    const path = world.path(`/sites/${world.site.id}/settings`)
    const values = { disable_functions: 'mysqli_real_connect,mysqli_connect' }
    const events = await world.dashboard.stream('PATCH', path, { php_settings: { values } })
    isDone = true
    await visiting

    const direct = world.variant.init === 'none'
    if (direct) await configure({ php_settings: null })
    else {
      expect(events.at(-1)).toMatchObject({
        event: 'error',
        data: {
          message: expect.stringMatching(/is answered with status 500 .* with 200 without/),
        },
      })
      expect([...statuses]).toEqual([200])
    }
    expect(await statusOf('/?visit=end')).toBe(200)
  })

  test('shows the maintenance page but to the addresses that are allowed', async () => {
    const message = `Back at "noon"; it's 5 € $host`
    await configure({ maintenance: { allow: ['127.0.0.1'], message } })
    const from = ['--interface', world.host.address]
    const outside = { resolve: world.host.address, options: from }

    const closed = async () => (await get(world.host, url(), outside)).status === 503
    expect(await settles(closed)).toBe(true)
    const { body, headers } = await get(world.host, url(), outside)
    expect(body).toContain('Back at &#34;noon&#34;; it&#39;s 5 &#8364; &#36;host')
    expect(headers).toContain('retry-after: 600')
    expect(await statusOf('/')).toBe(200)

    await configure({ maintenance: null })
    expect(await settles(async () => !(await closed()))).toBe(true)
  })

  test('asks visitors for a password, which PHP does not receive', async () => {
    await put('auth.php', `<?php echo json_encode([$_SERVER['PHP_AUTH_USER'] ?? null]);`)
    await configure({ basic_auth: { user: 'client' } })
    const path = world.path(`/sites/${world.site.id}/visitor-password`)
    const { body } = await world.dashboard.call('POST', path)
    world.secrets.push(String(body.password))
    const signed = ['--user', `${body.user}:${body.password}`]

    expect(await becomes(401, '/auth.php')).toBe(true)
    expect(await statusOf('/auth.php', ['--user', 'client:wrong'])).toBe(401)
    expect((await get(world.host, url('/auth.php'), { options: signed })).body).toBe('[null]')

    await configure({ basic_auth: null })
    expect(await becomes(200, '/auth.php')).toBe(true)
  })

  test('leaves paths and cookies out of the page cache, and switches it off', async () => {
    const cacheOf = async (options: string[] = []) => {
      await get(world.host, url(), { options })
      const { headers } = await get(world.host, url(), { options })
      return /x-cache: (\w+)/.exec(headers)?.[1] ?? 'none'
    }
    const becomesCached = (state: string, options: string[] = []) =>
      settles(async () => (await cacheOf(options)) === state)
    const member = ['--cookie', 'member_7=1']
    expect(await becomesCached('hit')).toBe(true)
    expect(await cacheOf(member)).toBe('hit')

    await configure({ page_cache: { paths: ['/sample-page'], cookies: ['member_'] } })
    expect(await becomesCached('bypass', member)).toBe(true)
    expect(await becomesCached('hit')).toBe(true)
    const sample = () => get(world.host, url('/sample-page/'))
    await sample()
    expect((await sample()).headers).toContain('x-cache: bypass')

    await configure({ page_cache: { enabled: false } })
    expect(await becomesCached('none')).toBe(true)
    await configure({ page_cache: null })
  })

  test('sends security headers, and leaves those of the site alone', async () => {
    await put('own.php', `<?php header("Content-Security-Policy: default-src 'self'");`)
    await put('framed.php', `<?php header('X-Frame-Options: DENY');`)
    const policiesOf = async (path: string) => {
      const { headers } = await get(world.host, url(path))
      return [...headers.matchAll(/^content-security-policy(\S*): (.*)$/gm)].map(
        ([, kind, text]) => `${kind}${text?.trim()}`,
      )
    }
    const basic = "base-uri 'self'; object-src 'self'"
    const all = `${basic}; frame-ancestors 'self'`
    // A worker of nginx with the former configuration may answer for a moment.
    const own = async () => String(await policiesOf('/own.php')) === "default-src 'self'"
    expect(await settles(own)).toBe(true)
    expect(await policiesOf('/?headers')).toEqual([all])
    expect(await policiesOf('/wp-content/none.css')).toEqual([all])
    expect(await policiesOf('/framed.php')).toEqual([basic])

    await configure({ csp: 'report' })
    expect(await settles(async () => (await policiesOf('/?headers')).length === 2)).toBe(true)
    const strict = expect.stringMatching(/^-report-onlydefault-src 'self'; .*frame-ancestors/)
    expect((await policiesOf('/?headers')).sort()).toEqual([strict, all])
    await configure({ csp: 'off' })
    expect(await settles(async () => (await policiesOf('/?headers')).length === 0)).toBe(true)
    expect(await settles(own)).toBe(true)
    await configure({ csp: 'basic' })
  })

  answersJetpackOnly(world, configure)

  test('leaves nothing of its pages', async () => {
    const { host, site } = world
    await host.must([
      'sh',
      '-c',
      'cd "$0" && rm values.php load.php auth.php own.php framed.php',
      site.docroot,
    ])
  })
}
