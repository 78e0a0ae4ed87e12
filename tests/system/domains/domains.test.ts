// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { settles } from '#tests/support/lab/wait.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { PAGE, startLoad } from '#tests/support/system/load.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

const FILE = '/etc/hosting-agent/cdn-networks'
const ENV = '/etc/hosting-agent/agent.env'

/** Gives the agent a file with one network of Cloudflare, at which the server has an address. */
async function addNetwork({ host }: Pick<Enrolled, 'host'>, address: string) {
  await host.must(['ip', 'address', 'add', `${address}/32`, 'dev', 'lo'])
  await host.put(FILE, `Cloudflare ${address}/32\n`)
  const line = `AGENT_CDN_NETWORKS_FILE=${FILE}`
  await host.must(['sh', '-c', 'echo "$1" >> "$2"', 'sh', line, ENV])
  await host.must(['systemctl', 'restart', 'hosting-agent'])
  return { replace: (text: string) => host.put(FILE, text) }
}

const SITE = 'domains.example.test'
const ALIVE = 'alias.example.test'
const DEAD = 'dead.example.test'
const OLD = 'old.example.test'
const NEW = 'new.example.test'
/** bücher.example.test */
const BOOKS = 'xn--bcher-kva.example.test'

const ASK = 'openssl s_client -connect 127.0.0.1:443 -servername "$1" </dev/null 2>/dev/null'
const VISITOR_PAGE = "<?php header('Cache-Control: no-store'); echo $_SERVER['REMOTE_ADDR'];"
const ASK_TLS12 = 'exec openssl s_client -connect 127.0.0.1:443 -servername "$1" </dev/null -tls1_2'
const CERTIFIED = `${ASK} | openssl x509 -noout -ext subjectAltName`

const NAMES = {
  www: 'redirect',
  aliases: [ALIVE, DEAD, BOOKS],
  redirects: [
    { domain: OLD, status: 301, keep_path: true },
    { domain: NEW, to: 'https://other.example.test/shop', status: 302, keep_path: false },
  ],
}

for (const suite of releases('domains')) {
  unless(lab.available()).describe(`the domains of a site on ${suite}`, () => check(suite))
}

function check(suite: Suite): void {
  const { php } = suites[suite]
  let world: Enrolled
  let site = { id: 0, user: '' }

  const at = () => world.path(`/sites/${site.id}/domains`)
  const resolve = (...names: string[]) =>
    Promise.all(names.map((name) => world.acme.resolve(name, world.host.address)))
  const set = async (names: object) => (await world.dashboard.stream('PUT', at(), names)).at(-1)
  const visit = async (url: string) => {
    const { status, headers } = await get(world.host, url)
    return [status, /^location: (.+)\r?$/m.exec(headers)?.[1]?.trim() ?? null]
  }
  /** The names in the certificate that nginx serves for a name. */
  const certified = async (name: string) => {
    const text = await world.host.must(['sh', '-c', CERTIFIED, 'sh', name])
    return [...text.matchAll(/DNS:([^,\s]+)/g)].map(([, each]) => each).sort()
  }

  beforeAll(async () => {
    world = await startEnrolled(suite)
    await resolve(SITE, `www.${SITE}`, ALIVE, OLD, NEW, BOOKS)
    const body = { domain: SITE, php, tls: 'letsencrypt' }
    const created = await world.dashboard.call('POST', world.path('/sites'), body)
    site = created.body.site as typeof site
    await endOf(world.dashboard, created)
    const found = await world.dashboard.call('GET', world.path(`/sites/${site.id}`))
    site = found.body.site as typeof site
    const page = `/srv/www/${site.user}/public/answer.php`
    await world.host.put(page, PAGE)
  }, 15 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  test('aliases show the site, redirects have the right target, and no request is lost', async () => {
    const load = startLoad(world.host, `https://${SITE}/answer.php`, 10)
    const last = await set(NAMES)
    const { bad, good } = await load.stop()

    expect(last).toEqual({
      ...{ id: expect.any(Number), event: 'complete' },
      data: { status: 'ok', domain: SITE, ...NAMES },
    } as never)
    expect(bad).toEqual([])
    expect(good).toBeGreaterThan(10)
    expect(await visit(`https://www.${SITE}/a?b=c`)).toEqual([301, `https://${SITE}/a?b=c`])
    expect(await visit(`https://${OLD}/a?b=c`)).toEqual([301, `https://${SITE}/a?b=c`])
    expect(await visit(`http://${OLD}/`)).toEqual([301, `https://${SITE}/`])
    expect(await visit(`https://${NEW}/a`)).toEqual([302, 'https://other.example.test/shop'])
    expect(await visit(`http://${ALIVE}/a`)).toEqual([301, `https://${ALIVE}/a`])
    expect((await get(world.host, `https://${ALIVE}/answer.php`)).body).toStartWith('answered by')
    expect((await get(world.host, `https://${BOOKS}/answer.php`)).body).toStartWith('answered by')
  })

  test('the certificate has every name but the dead one, which redirects to the site', async () => {
    expect(await certified(ALIVE)).toEqual([SITE, `www.${SITE}`, ALIVE, BOOKS, OLD, NEW].sort())
    expect(await visit(`http://${DEAD}/a`)).toEqual([302, `https://${SITE}/a`])
  })

  test('TLS 1.2 has only ciphers with forward secrecy and authenticated encryption', async () => {
    const ask = async (cipher: string) => {
      const argv = ['sh', '-c', `${ASK_TLS12} -cipher "$2"`, 'sh', SITE, cipher]
      return (await world.host.exec(argv)).code
    }
    expect(await ask('ECDHE+AESGCM:ECDHE+CHACHA20')).toBe(0)
    expect(await ask('ALL:!AESGCM:!CHACHA20')).not.toBe(0)
  })

  test('the state of each name says so, with the reason and the next attempt', async () => {
    const { status, body } = await world.dashboard.call('GET', `${at()}/states`)

    expect(status).toBe(200)
    const names = body.names as { name: string; certificate: object }[]
    const states = Object.fromEntries(names.map(({ name, certificate }) => [name, certificate]))
    const active = { state: 'active', reason: '', next_at: null }
    expect(states).toEqual({
      ...Object.fromEntries(
        [SITE, `www.${SITE}`, ALIVE, BOOKS, OLD, NEW].map((name) => [name, active]),
      ),
      [DEAD]: { state: 'blocked', reason: expect.any(String), next_at: expect.any(String) },
    })
  })

  test('bad names change nothing', async () => {
    const before = await world.host.must(['cat', `/etc/nginx/sites-available/hosting-${SITE}.conf`])
    await world.host.put(
      '/etc/nginx/conf.d/foreign.conf',
      'server { listen 80; server_name foreign.example.test; return 204; }',
    )
    const put = async (names: object) => (await world.dashboard.call('PUT', at(), names)).body

    const aliases = Array.from({ length: 5000 }, (_, number) => `n${number}.example.test`)
    expect(await put({ aliases })).toMatchObject({
      fields: { aliases: ['Must have at most 98 names'] },
    })
    const loop = [{ domain: 'x.example.test', to: 'https://x.example.test/' }]
    expect(await put({ redirects: loop })).toMatchObject({
      fields: { redirects: ['x.example.test → x.example.test is a redirect loop'] },
    })
    expect(await put({ aliases: ['foreign.example.test'] })).toMatchObject({
      fields: { aliases: [expect.stringContaining('served by /etc/nginx/conf.d/foreign.conf')] },
    })
    const after = await world.host.must(['cat', `/etc/nginx/sites-available/hosting-${SITE}.conf`])
    expect(after).toBe(before)
  })

  test('only the network in front can report the address of the visitor', async () => {
    const page = `/srv/www/${site.user}/public/visitor.php`
    await world.host.put(page, VISITOR_PAGE)
    const [cloudflare, fastly] = ['173.245.48.9', '151.101.0.4']
    for (const address of [cloudflare, fastly])
      await world.host.must(['ip', 'address', 'add', `${address}/32`, 'dev', 'lo'])
    const seen = async (from: string, header: string) => {
      const options = ['--interface', from, '--header', header]
      return (await get(world.host, `https://${SITE}/visitor.php`, { options })).body
    }
    const trust = (trusted_cdn: string | null) =>
      world.dashboard.stream('PATCH', world.path(`/sites/${site.id}/settings`), { trusted_cdn })
    const becomes = (expected: string, from: string, header: string) =>
      settles(async () => (await seen(from, header)) === expected)
    const VISITOR = '203.0.113.9'
    const named = `CF-Connecting-IP: ${VISITOR}`
    const listed = `X-Forwarded-For: 6.6.6.6, ${VISITOR}, ${fastly}`

    expect(await seen(cloudflare, named)).toBe(cloudflare)
    expect((await trust('Cloudflare')).at(-1)?.event).toBe('complete')
    expect(await becomes(VISITOR, cloudflare, named)).toBe(true)
    expect(await seen('127.0.0.1', named)).toBe('127.0.0.1')
    expect(await seen(fastly, named)).toBe(fastly)
    const log = `/var/log/hosting/${site.user}/access.log`
    const logged = await world.host.must(['tail', '-n', '3', log])
    expect(logged).toContain(`${VISITOR} - `)

    await trust('Fastly')
    expect(await becomes(VISITOR, fastly, listed)).toBe(true)
    expect(await seen('127.0.0.1', listed)).toBe('127.0.0.1')
    await trust(null)
    expect(await becomes(fastly, fastly, listed)).toBe(true)
    const added = '203.0.113.200'
    const file = await addNetwork(world, added)
    const last = () => trust('Cloudflare').then((all) => JSON.stringify(all.at(-1)), String)
    expect(await lab.poll(async () => (await last()).includes('complete'))).toBe(true)
    expect(await becomes(VISITOR, added, named)).toBe(true)
    await file.replace('Cloudflare 0.0.0.0/0\n')
    expect(await last()).toContain('line 1: must have a network')
    expect(await seen(added, named)).toBe(VISITOR)
    await trust(null)
  })

  test('names that are left out are gone', async () => {
    const last = await set({})

    expect(last?.event).toBe('complete')
    const isGone = async () => {
      const answer = await get(world.host, `http://${OLD}/`).catch(String)
      // nginx closes the connection: curl(1) has received nothing, or a reset.
      return /status 5[26]\b/.test(String(answer))
    }
    expect(await settles(isGone)).toBe(true)
    expect(await visit(`https://www.${SITE}/answer.php`)).toEqual([200, null])
  })
}
