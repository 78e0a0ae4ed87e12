import { expect, test } from 'bun:test'
import { EVERYDAY, perform, stateOf } from '#tests/support/agent/everyday.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { isWhole } from '#tests/support/runs.ts'

/** What a command that succeeds leaves for later: by its lines or the failed effect, the files. */
const LATER: [RegExp, RegExp][] = [
  [/^Warning: the object cache was not changed/m, /hosting-objects@/],
  [/^No new certificate: /m, /\/tls\/shop|\/sites-available\/|certificate-tries/],
  [/^\d+ remove .*acme-challenge/, /acme-challenge/],
  [/^\d+ remove .*certificate-phase/, /certificate-phase/],
  [/^\d+ remove \/etc\/hosting\/tls\/shop.example$/m, /privkey/],
  [/^\d+ rm .*\/uploads\//, /\/uploads\//],
]

test.each(EVERYDAY)(
  '$command ($title) is done or undone, whichever effect fails, and works when repeated',
  async ({ command, params, make }) => {
    const before = await stateOf(await make())
    const whole = await make()
    const [, done] = await perform(whole, command, params)
    const after = await stateOf(whole)
    expect(done).toBeObject()
    let failed = 0

    await eachFault(
      make,
      (host) => perform(host, command, params),
      async (host, _, [lines, result], fault) => {
        if (typeof result !== 'string') {
          const text = [fault, ...lines].join('\n')
          const [, later] = LATER.find(([said]) => said.test(text)) ?? []
          expect([fault, await stateOf(host, later)]).toEqual([fault, await stateOf(whole, later)])
          return
        }
        failed += 1
        expect([fault, result]).toEqual([fault, expect.stringContaining('injected fault')])
        expect([fault, await stateOf(host)]).toEqual([fault, before])
        const [, again] = await perform(host, command, params)
        expect([fault, again, await stateOf(host)]).toEqual([fault, expect.any(Object), after])
      },
    )

    // The effects of a part of the sweep may all be looks at the machine.
    if (isWhole) expect(failed).toBeGreaterThan(0)
  },
)
