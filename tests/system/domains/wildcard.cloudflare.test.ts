// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Host } from '#tests/support/lab/host.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must, poll } from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { releases } from '#tests/support/turns.ts'

const PROGRAM = '/usr/local/bin/cloudflare'
const STATE = '/var/log/cloudflare.json'
const LOSSES = '/var/log/cloudflare-losses'
const PORT = 8787

interface Options {
  folder: string
  token: string
  zone: string
  /** The management of the name server of the authority. */
  names_url: string
}

/** Starts Cloudflare's API on a server of the lab, at its own 127.0.0.1. */
async function startOnHost(host: Host, { folder, token, zone, names_url }: Options) {
  const file = join(folder, 'cloudflare')
  await must(['bun', 'build', '--compile', `--outfile=${file}`, 'tests/support/cloudflare/main.ts'])
  await host.put(PROGRAM, await Bun.file(file).bytes(), 0o755)
  const options = { token, zone, names_url, state: STATE, losses: LOSSES, port: String(PORT) }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  await host.must(['systemd-run', '--unit=cloudflare', PROGRAM, ...args])
  const state = async () =>
    JSON.parse(await host.must(['cat', STATE])) as {
      records: { type: string; name: string; content: string }[]
      calls: string[]
    }
  await poll(async () => (await host.exec(['test', '-s', STATE])).code === 0)
  /** The method whose next answer is lost. */
  const lose = async (method: string) => {
    await host.must(['sh', '-c', 'echo "$1" > "$2"', 'sh', method, LOSSES])
    await Bun.sleep(500)
  }
  return { api: `http://127.0.0.1:${PORT}/client/v4`, state, lose }
}

const MINUTES = 60_000
setDefaultTimeout(8 * MINUTES)
const SITE = 'cf.example.test'
const WILDCARD = `*.${SITE}`
const TOKEN = 'a-token-of-forty-characters-a-token-of-f'
const FILE = '/etc/hosting-agent/cloudflare-token'
const ENV = '/etc/hosting-agent/agent.env'
const CHALLENGES = '/var/lib/hosting-agent/dns-challenges.json'
const ASK = 'openssl s_client -connect 127.0.0.1:443 -servername "$1" </dev/null 2>/dev/null'

for (const suite of releases('wildcard.cloudflare')) {
  unless(lab.available()).describe(`a wildcard by a token of Cloudflare on ${suite}`, () =>
    check(suite),
  )
}

function check(suite: Suite): void {
  const { php } = suites[suite]
  let world: Enrolled
  let cloudflare: Awaited<ReturnType<typeof startOnHost>>
  let site = { id: 0 }

  const at = (below = '') => world.path(`/sites/${site.id}${below}`)
  const set = async (aliases: string[]) =>
    (await world.dashboard.stream('PUT', at('/domains'), { aliases })).at(-1)?.event
  const warnings = async () => {
    const { body } = await world.dashboard.call('GET', `/api/operations?site_id=${site.id}`)
    const all = body.operations as { type: string; warnings: { message: string }[] }[]
    const last = all.find(({ type }) => type === 'site.domains')
    return last?.warnings.map(({ message }) => message) ?? []
  }
  const certified = async () => {
    const argv = ['sh', '-c', `${ASK} | openssl x509 -noout -ext subjectAltName`, 'sh', SITE]
    const text = await world.host.must(argv)
    return [...text.matchAll(/DNS:([^,\s]+)/g)].map(([, each]) => each).sort()
  }
  const noted = async () => JSON.parse(await world.host.must(['cat', CHALLENGES])) as unknown[]
  const records = async () => (await cloudflare.state()).records
  const token = (value: string) => world.host.put(FILE, `${value}\n`, 0o600)

  beforeAll(async () => {
    world = await startEnrolled(suite)
    await world.acme.resolve(SITE, world.host.address)
    const body = { domain: SITE, php, tls: 'letsencrypt' }
    const created = await world.dashboard.call('POST', world.path('/sites'), body)
    site = created.body.site as typeof site
    await endOf(world.dashboard, created)
    cloudflare = await startOnHost(world.host, {
      ...{ folder: world.data_dir, token: TOKEN, zone: 'example.test' },
      names_url: world.acme.names_url,
    })
    await token(TOKEN)
    const lines = [`AGENT_CLOUDFLARE_TOKEN_FILE=${FILE}`, `AGENT_CLOUDFLARE_API=${cloudflare.api}`]
    await world.host.must(['sh', '-c', 'echo "$1" >> "$2"', 'sh', lines.join('\n'), ENV])
    await world.host.must(['systemctl', 'restart', 'hosting-agent'])
    const plan = () =>
      world.dashboard.call('PUT', at('/domains'), { aliases: [WILDCARD], dry_run: true })
    expect(await lab.poll(async () => (await plan()).status === 200)).toBe(true)
  }, 15 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  test('a wrong token leaves the wildcard out with its reason, and nothing is left to remove', async () => {
    await token(TOKEN.replace('a', 'b'))

    expect(await set([WILDCARD])).toBe('complete')

    expect((await warnings())[0]).toContain(`${WILDCARD} (Cloudflare: Invalid access token (9109))`)
    expect(await noted()).toEqual([])
    expect(await records()).toEqual([])
    expect(await certified()).toEqual([SITE])
  })

  test('a record whose answer is lost is removed, although it counts as not set', async () => {
    await token(TOKEN)
    // The agent tries a missing name again by itself, too, and may meet the loss first.
    const isLost = async () => {
      await set([])
      await cloudflare.lose('POST')
      expect(await set([WILDCARD])).toBe('complete')
      return (await warnings())[0]?.includes('Cloudflare answered 502') === true
    }
    expect(await lab.poll(isLost)).toBe(true)
    expect((await cloudflare.state()).calls).toContainEqual(
      expect.stringMatching(/^POST .*\/dns_records$/),
    )
    expect(await records()).toEqual([])
    expect(await noted()).toEqual([])
  })

  test('the token publishes the record, the certificate has the wildcard, and the record is removed', async () => {
    await world.dashboard.stream('POST', at('/tls'), { tls: 'letsencrypt' })

    expect(await lab.poll(async () => (await certified()).includes(WILDCARD))).toBe(true)
    expect(await certified()).toEqual([WILDCARD, SITE])
    expect(await lab.poll(async () => (await noted()).length === 0)).toBe(true)
    expect(await records()).toEqual([])
  })

  test('a removal that fails is repeated within minutes, and the token is in no log', async () => {
    // The agent removes records by itself, too, and may meet the loss first.
    const fails = async () => {
      await cloudflare.lose('DELETE')
      // One that is valid for the same names would be kept.
      for (const tls of ['none', 'letsencrypt'])
        await world.dashboard.stream('POST', at('/tls'), { tls })
      return (await noted()).length === 1
    }
    expect(await lab.poll(fails)).toBe(true)

    const isGone = async () => (await noted()).length === 0
    expect(await lab.poll(isGone, { timeout_ms: 5 * MINUTES })).toBe(true)
    expect(await records()).toEqual([])
    const log = await world.host.must(['journalctl', '--no-pager', '-u', 'hosting-agent*'])
    expect(log).not.toContain(TOKEN)
  })
}
