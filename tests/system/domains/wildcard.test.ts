// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { get } from '#tests/support/system/requests.ts'
import { releases } from '#tests/support/turns.ts'

const MINUTES = 60_000
const SITE = 'wild.example.test'
const WILDCARD = `*.${SITE}`
const ENV = '/etc/hosting-agent/agent.env'
const HOOK = '/etc/hosting-agent/dns-hook'
const LOG = '/var/log/dns-hook.log'
const CHALLENGES = '/var/lib/hosting-agent/dns-challenges.json'
const ASK = 'openssl s_client -connect 127.0.0.1:443 -servername "$1" </dev/null 2>/dev/null'

/** The API of the name server of the lab, without another program. */
const hook = (names_url: string) => {
  const { hostname, port } = new URL(names_url)
  return `#!/bin/bash
set -eu
echo "$#: $1 $2 $3" >> ${LOG}
case $1 in
  present) what=set-txt body="{\\"host\\": \\"$2.\\", \\"value\\": \\"$3\\"}" ;;
  cleanup) what=clear-txt body="{\\"host\\": \\"$2.\\"}" ;;
esac
exec 3<>/dev/tcp/${hostname}/${port}
printf 'POST /%s HTTP/1.0\\r\\nContent-Length: %d\\r\\n\\r\\n%s' "$what" "\${#body}" "$body" >&3
grep -q '200 OK' <&3
`
}

for (const suite of releases('wildcard')) {
  unless(lab.available()).describe(`a wildcard through DNS-01 on ${suite}`, () => check(suite))
}

function check(suite: Suite): void {
  const { php } = suites[suite]
  let world: Enrolled
  let site = { id: 0, user: '' }

  const at = (below = '') => world.path(`/sites/${site.id}${below}`)
  const set = async (names: object) =>
    (await world.dashboard.stream('PUT', at('/domains'), names)).at(-1)
  /** Lists the warnings of the last operation of the site; undefined when it has none. */
  const warnings = async () => {
    const { body } = await world.dashboard.call('GET', `/api/operations?site_id=${site.id}`)
    const [{ warnings: last } = { warnings: undefined }] = body.operations as {
      warnings: { message: string }[]
    }[]
    return last?.map(({ message }) => message)
  }
  const certified = async (name: string) => {
    const argv = ['sh', '-c', `${ASK} | openssl x509 -noout -ext subjectAltName`, 'sh', name]
    const text = await world.host.must(argv)
    return [...text.matchAll(/DNS:([^,\s]+)/g)].map(([, each]) => each).sort()
  }
  const serial = (name: string) =>
    world.host.must(['sh', '-c', `${ASK} | openssl x509 -noout -serial`, 'sh', name])
  const logged = async () => (await world.host.must(['cat', LOG])).trim().split('\n')

  beforeAll(async () => {
    world = await startEnrolled(suite)
    // None for www: an authority refuses an order for it beside the wildcard.
    await world.acme.resolve(SITE, world.host.address)
    const body = { domain: SITE, php, tls: 'letsencrypt' }
    const created = await world.dashboard.call('POST', world.path('/sites'), body)
    site = created.body.site as typeof site
    await endOf(world.dashboard, created)
    const found = await world.dashboard.call('GET', at())
    site = found.body.site as typeof site
    const page = `/srv/www/${site.user}/public/answer.php`
    await world.host.put(page, "<?php echo 'answered by ', $_SERVER['HTTP_HOST'];")
  }, 15 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  test('without a hook it is refused by name, and nothing changes', async () => {
    const before = await world.host.must(['cat', `/etc/nginx/sites-available/hosting-${SITE}.conf`])
    const { status, body } = await world.dashboard.call('PUT', at('/domains'), {
      aliases: [WILDCARD],
      dry_run: true,
    })

    expect([status, body.fields]).toEqual([
      422,
      {
        aliases: [
          expect.stringContaining('neither AGENT_DNS_HOOK nor AGENT_CLOUDFLARE_TOKEN_FILE is set'),
        ],
      },
    ] as never)
    const after = await world.host.must(['cat', `/etc/nginx/sites-available/hosting-${SITE}.conf`])
    expect(after).toBe(before)
  })

  test('the hook of root publishes the record, and any name below has the certificate', async () => {
    await world.host.put(HOOK, hook(world.acme.names_url), 0o755)
    await world.host.must(['sh', '-c', 'echo "AGENT_DNS_HOOK=$1" >> "$2"', 'sh', HOOK, ENV])
    await world.host.must(['systemctl', 'restart', 'hosting-agent'])
    const plan = { aliases: [WILDCARD], dry_run: true }
    const planned = () => world.dashboard.call('PUT', at('/domains'), plan)
    await lab.poll(async () => (await planned()).status === 200)

    const last = await set({ aliases: [WILDCARD] })

    expect(last?.event).toBe('complete')
    expect(await warnings()).toEqual([])
    expect(await certified(SITE)).toEqual([WILDCARD, SITE])
    const page = await get(world.host, `https://any.${SITE}/answer.php`)
    expect(page.body).toBe(`answered by any.${SITE}`)
    const lines = await logged()
    expect(lines.map((line) => line.replace(/ \S+$/, ''))).toEqual([
      `3: present _acme-challenge.${SITE}`,
      `3: cleanup _acme-challenge.${SITE}`,
    ])
    expect(await world.host.must(['cat', CHALLENGES])).toBe('[]\n')
  })

  test('a new certificate uses the hook again', async () => {
    const former = await serial(SITE)
    const before = (await logged()).length
    // One that is valid for the same names would be kept.
    await world.dashboard.stream('POST', at('/tls'), { tls: 'none' })
    const ended = await world.dashboard.stream('POST', at('/tls'), { tls: 'letsencrypt' })

    expect(ended.at(-1)).toMatchObject({ event: 'complete' })
    expect(await lab.poll(async () => (await serial(SITE)) !== former)).toBe(true)
    expect(await certified(SITE)).toEqual([WILDCARD, SITE])
    expect((await logged()).length).toBe(before + 2)
  })

  test('a failing hook leaves the wildcard out with its reason, and the site complete', async () => {
    await world.host.put(HOOK, '#!/bin/sh\necho "Invalid API token" >&2\nexit 4\n', 0o755)

    const last = await set({ aliases: [WILDCARD, `*.other.${SITE}`] })

    expect(last?.event).toBe('complete')
    const reason = `${HOOK} ended with status 4: Invalid API token`
    const [message] = (await warnings()) ?? []
    expect(message).toStartWith('The certificate leaves out ')
    for (const name of [WILDCARD, `*.other.${SITE}`])
      expect(message).toContain(`${name} (${reason})`)
    expect(await certified(SITE)).toEqual([WILDCARD, SITE])
    expect((await get(world.host, `https://${SITE}/answer.php`)).body).toStartWith('answered by')
  })

  test('a hook that others may change is not run', async () => {
    await world.host.put(HOOK, `#!/bin/sh\ntouch /var/log/was-run\n`, 0o777)

    await set({ aliases: [] })
    const { status, body } = await world.dashboard.call('PUT', at('/domains'), {
      aliases: [WILDCARD],
    })

    expect(status).toBe(422)
    expect(JSON.stringify(body)).toContain(`${HOOK} is writable by others than root`)
    expect((await world.host.exec(['stat', '/var/log/was-run'])).code).not.toBe(0)
    expect(await certified(SITE)).toContain(SITE)
  })
}
