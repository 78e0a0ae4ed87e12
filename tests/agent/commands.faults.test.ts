// tier: gate
import { expect, test } from 'bun:test'
import { perform, stateOf } from '#tests/support/agent/everyday.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { EVERY, EVERYDAY_TITLES, leftBy } from '#tests/support/plan/every-command.ts'
import { isWhole } from '#tests/support/runs.ts'

/**
 * What a command that succeeds leaves for later: by its lines or the failed effect, the files, and
 * whether it leaves a database and its account, too.
 */
const LATER: [said: RegExp, files: RegExp, hasDatabase?: true][] = [
  [/^Warning: the object cache was not changed/m, /hosting-objects@/],
  [/^No new certificate: /m, /\/tls\/shop|\/sites-available\/|certificate-tries/],
  [/^\d+ remove .*acme-challenge/, /acme-challenge/],
  [/^\d+ remove .*certificate-phase/, /certificate-phase/],
  [/^\d+ remove \/etc\/hosting\/tls\/shop.example$/m, /privkey/],
  [/^\d+ rm .*\/uploads\//, /\/uploads\//],
  [/^\d+ rm .*\/fetched$/m, /\/fetched/],
  // After the decision of a replacement, before the removal of what it was made from.
  [
    /^\d+ (systemctl start hosting-cron|find \/var\/cache\/hosting)/,
    /\/fetched|\/(uploads|baselines)\//,
  ],
  [/^\d+ (rename|mkdir|write|find) .*(\/baselines|-maxdepth 0)/, /\/fetched|\/baselines\//],
  [/^\d+ remove .*\/(open|saving)$/m, /\/(open|saving)/],
  [/^\d+ remove \/srv\/www\/\.trash\//, /\/\.trash\//],
  [/^\d+ (SELECT account\.User|KILL USER|DROP USER)/, /^$/, true],
]

/**
 * Their own tests say what a failure leaves: it does not undo a purge, and the others keep more
 * after their decision.
 */
const OTHERS = ['site.purge', 'backup.undo', 'site.rename']

test.each(EVERY.filter(({ command, isUndone }) => isUndone && !OTHERS.includes(command)))(
  '$title is done or undone, whichever effect fails, and works when repeated',
  async (each) => {
    const { command, prepare, title } = each
    const left = EVERYDAY_TITLES.has(title) ? /^$/ : leftBy(each)
    const seen = (host: Awaited<ReturnType<typeof make>>, later?: RegExp) =>
      stateOf(host, later ? new RegExp(`${left.source}|${later.source}`) : left)
    let params: object = {}
    const make = async () => {
      const made = await prepare()
      params = made.params
      return made.host
    }
    const before = await seen(await make())
    const whole = await make()
    const [, done] = await perform(whole, command, params)
    const after = await seen(whole)
    expect(done).toBeObject()
    let failed = 0

    await eachFault(
      make,
      (host) => perform(host, command, params),
      async (host, _, [lines, result], fault) => {
        if (typeof result !== 'string') {
          const text = [fault, ...lines].join('\n')
          const [, later, hasDatabase] = LATER.find(([said]) => said.test(text)) ?? []
          const compared = async (one: typeof host) =>
            hasDatabase ? (await seen(one, later)).files : seen(one, later)
          expect([fault, await compared(host)]).toEqual([fault, await compared(whole)])
          return
        }
        failed += 1
        expect([fault, result]).toEqual([fault, expect.stringContaining('injected fault')])
        expect([fault, await seen(host)]).toEqual([fault, before])
        const [, again] = await perform(host, command, params)
        expect([fault, again, await seen(host)]).toEqual([fault, expect.any(Object), after])
      },
    )

    // The effects of a part of the sweep, or of a command that changes nothing, may all be looks.
    if (isWhole && !Bun.deepEquals(before, after)) expect(failed).toBeGreaterThan(0)
  },
  240_000,
)
