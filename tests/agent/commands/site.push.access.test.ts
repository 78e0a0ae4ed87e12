import { expect, test } from 'bun:test'
import { sitePush } from '#agent/commands/site.push.ts'
import { getSite, writeSite } from '#agent/os/site/sites.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { pair } from '#tests/support/agent/pair.ts'
import { copy } from '#tests/support/agent/staging.ts'
import { anna } from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { times } from '#tests/support/runs.ts'

const params = {
  ...{ domain: shop.domain, from: copy.domain, files: true },
  ...{ tables: ['wp_options', 'wp_posts'], overwrite: [] as string[] },
}
const run = (host: FakeHost) => outcome(sitePush.run(params, contextOf(host)))
const isClosed = ({ disk }: FakeHost) => /^shop:!:+2:/m.test(disk.text('/etc/shadow') ?? '')

/** People can log in to the live site. */
async function live(): Promise<FakeHost> {
  const { host } = await pair()
  await writeSite(host, { ...(await getSite(host, shop.domain)), access: [anna] })
  return host
}

test('nobody is logged in from the end of PHP to its start', async () => {
  const host = await live()

  const [lines] = await run(host)

  const about = /^(Stopping|Ending|Keeping the current|Starting|Resuming|Allowing|Waiting)/
  expect(lines.filter((line) => about.test(line))).toEqual([
    'Stopping PHP',
    'Ending the SFTP and SSH sessions of shop.example',
    'Keeping the current state',
    'Starting PHP 8.2',
    'Resuming the jobs of WordPress',
    'Allowing logins to shop.example again',
    'Waiting for an answer of the site',
  ])
  expect(isClosed(host)).toBe(false)
})

test('whatever fails, people can log in afterwards', async () => {
  const outcomes = { failed: 0, wasClosed: 0 }
  await eachFault(live, run, async (host, _, [lines, result], fault) => {
    outcomes.failed += Number(typeof result === 'string')
    outcomes.wasClosed += Number(lines.some((line) => line.startsWith('Ending the SFTP')))
    expect([fault, isClosed(host)]).toEqual([fault, false])
  })
  expect(outcomes.failed).toBeGreaterThan(times(50))
  expect(outcomes.wasClosed).toBeGreaterThan(times(50))
})
