// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fpmService } from '#agent/features/php/fpm-files.ts'
import * as lab from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { type Enrolled, startWithShop } from '#tests/support/system/enrolled.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'

setDefaultTimeout(8 * MINUTES)

const SECONDS = 1000
/** The shortest interval, and a minute; a machine that is busy with other tests takes longer. */
const INTERVAL = 60
const LIMIT_MS = 2 * (INTERVAL + 60) * SECONDS
const HEADER = '<?php\n/* Plugin Name: Broken */\n'
const BROKEN = `${HEADER}function ( {\n`

let world: Enrolled
let site: { id: number; domain: string; user: string }
const { php } = suites.bookworm
let content: string

beforeAll(async () => {
  const made = await startWithShop('bookworm')
  world = made.world
  site = made.shop
  content = `/srv/www/${site.user}/public/wp-content`
}, 10 * MINUTES)

afterAll(() => world?.stop(), MINUTES)

const path = (below: string) => world.path(`/sites/${site.id}${below}`)

async function shown() {
  const { body } = await world.dashboard.call('GET', `/api/fleet/sites/${site.id}`)
  const { health, health_code, health_checks, visited_at } = Object(body).site
  return { health, health_code, health_checks, visited_at } as {
    health: string
    health_code: string
    health_checks: { check: string; state: string; code: string }[]
    visited_at: string | null
  }
}

/** Waits for a state of the site; returns the seconds until then. */
async function becomes(health: 'up' | 'down'): Promise<number> {
  const began = Date.now()
  await lab.poll(async () => (await shown()).health === health, {
    every_ms: 500,
    timeout_ms: LIMIT_MS,
    awaited: `the site is ${health}`,
  })
  return Math.round((Date.now() - began) / SECONDS)
}

/** Writes a file as the owner of the site does. */
async function put(file: string, text: string): Promise<void> {
  const place = `${content}/${file}`
  await world.host.must(['mkdir', '-p', place.replace(/\/[^/]*$/, '')])
  await world.host.put(place, text)
  await world.host.must(['chown', '-R', `${site.user}:www-data`, `${content}/plugins`])
}

async function wp(...args: string[]): Promise<void> {
  const program = [`/usr/bin/php${php}`, '/usr/local/lib/hosting/wp-cli.phar']
  const docroot = `--path=/srv/www/${site.user}/public`
  await world.host.must(['runuser', '-u', site.user, '--', ...program, docroot, ...args])
}

const sleep = () => {
  const { unit } = fpmService({ user: site.user, php })
  return world.host.must(['systemctl', 'stop', unit])
}

test('a site without visitors that breaks is shown within the interval and a minute, and its repair too', async () => {
  await world.dashboard.call('PUT', '/api/settings/visit_interval', { value: INTERVAL })
  // A file that no check of the agent looks at.
  await put('plugins/broken/broken.php', `${HEADER}require __DIR__ . '/src/part.php';\n`)
  await put('plugins/broken/src/part.php', '<?php\n')
  await wp('plugin', 'activate', 'broken')
  await lab.poll(async () => (await shown()).visited_at !== null, { timeout_ms: LIMIT_MS })
  await becomes('up')
  await sleep()

  await put('plugins/broken/src/part.php', BROKEN)
  const down = await becomes('down')
  expect((await shown()).health_code).toBe('http_fatal')
  // A check of the agent may have been first.
  const visit = async () => (await shown()).health_checks.find(({ check }) => check === 'visit')
  await lab.poll(async () => (await visit())?.code === 'http_fatal', { timeout_ms: LIMIT_MS })

  await put('plugins/broken/src/part.php', '<?php\n')
  console.log(`down after ${down} s, up after ${await becomes('up')} s`)
})

test('a change of a plugin is noticed at once, whatever the interval is', async () => {
  await world.dashboard.call('PUT', '/api/settings/visit_interval', { value: 86_400 })
  await becomes('up')
  // The agent has to know the former version.
  await Bun.sleep(30 * SECONDS)

  await put('plugins/broken/broken.php', BROKEN)
  const down = await becomes('down')
  await put('plugins/broken/broken.php', HEADER)
  console.log(`down after ${down} s, up after ${await becomes('up')} s`)
})

test('a WordPress that stops is a clear answer everywhere', async () => {
  await put('plugins/broken/broken.php', BROKEN)
  const { body } = await world.dashboard.call('GET', path('/wordpress-users'))
  expect(Object(body).users).toHaveLength(1)
  const run = await world.dashboard.call('POST', path('/wordpress-cron-run'), {})
  expect([run.status, run.body]).toMatchObject([
    409,
    {
      code: 'wordpress_fatal',
      message: expect.stringContaining(
        'WordPress of the site stops with a syntax error in the plugin broken (wp-content/plugins/broken/broken.php, line 3)',
      ),
    },
  ])
  const login = await world.dashboard.call('POST', path('/wordpress-login'), {})
  const { token } = Object(login.body)
  const page = await get(world.host, `http://${site.domain}/.well-known/hosting-login`, {
    options: ['--data', `token=${token}`],
  })
  expect([page.status, page.body]).toEqual([
    503,
    expect.stringContaining('wp-content/plugins/broken/broken.php, line 3'),
  ])
  await put('plugins/broken/broken.php', HEADER)

  await world.host.must(['mkdir', '-p', `${content}/mu-plugins`])
  await world.host.put(`${content}/mu-plugins/must.php`, BROKEN)
  await world.host.must(['chown', '-R', `${site.user}:www-data`, `${content}/mu-plugins`])
  const answers = [
    await world.dashboard.call('GET', path('/wordpress-users')),
    await world.dashboard.call('GET', path('/wordpress-cron')),
    await world.dashboard.call('POST', path('/wordpress-login'), {}),
  ]
  await world.host.must(['rm', `${content}/mu-plugins/must.php`])
  for (const { status, body: failure } of answers) {
    expect([status, Object(failure).code]).toEqual([409, 'wordpress_fatal'])
    expect(Object(failure).message).toContain(
      'a syntax error in the must-use plugin must.php (wp-content/mu-plugins/must.php, line 3)',
    )
  }
})
