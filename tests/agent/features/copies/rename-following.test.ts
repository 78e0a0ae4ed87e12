import { expect, test } from 'bun:test'
import { renewDue } from '#agent/features/domains/renewal.ts'
import { noteRefused, readTries } from '#agent/features/domains/tries.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { OLD, renamable, rename } from '#tests/support/agent/renaming.ts'
import { authority, resolving, serveTokens } from '#tests/support/agent/tls-site.ts'
import { namedPem } from '#tests/support/fixtures/certificates.ts'

const NAMED = 'a.example'
const WWW_OLD = `www.${OLD}`

test('requests a certificate for the names again that the new one leaves out', async () => {
  const host = await renamable()
  await writeSite(host, { ...shop, tls: 'letsencrypt' })
  host.pages.set(`https://${NAMED}/`, '')
  serveTokens(host, [NAMED, `www.${NAMED}`, OLD])
  resolving(host, { [WWW_OLD]: [] })
  authority(host, () => ({ chain: namedPem }))
  await noteRefused(host, NAMED, 'it was an alias that failed')
  await noteRefused(host, OLD, 'timeout')

  const [, result] = await rename(host, { primary: NAMED })

  expect(result).toMatchObject({ domain: NAMED })
  const tries = await readTries(host)
  expect(Object.entries(tries).map(([name, { failures }]) => [name, failures])).toEqual([
    [OLD, 1],
    [WWW_OLD, 1],
  ])
  expect(tries[WWW_OLD]?.reason).toContain('it has no A and no AAAA record in DNS')
  expect(await renewDue(host)).toEqual([])
  host.time += 10 * 60_000
  const { domain, tls, email } = await getSite(host, NAMED)
  expect(await renewDue(host)).toEqual([{ domain, tls, email }])
})
