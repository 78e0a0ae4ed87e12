import { expect, test } from 'bun:test'
import { readFailedRequests, recordRefusal } from '#agent/features/domains/failed-requests.ts'
import { listDue } from '#agent/features/domains/renewal.ts'
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
  await recordRefusal(host, NAMED, 'it was an alias that failed')
  await recordRefusal(host, OLD, 'timeout')

  const [, result] = await rename(host, { primary: NAMED })

  expect(result).toMatchObject({ domain: NAMED })
  const tries = await readFailedRequests(host)
  expect(Object.entries(tries).map(([name, { failures }]) => [name, failures])).toEqual([
    [OLD, 1],
    [WWW_OLD, 1],
  ])
  expect(tries[WWW_OLD]?.reason).toContain('it has no A and no AAAA record in DNS')
  expect(await listDue(host)).toEqual([])
  host.time += 10 * 60_000
  const { domain, tls, email } = await getSite(host, NAMED)
  expect(await listDue(host)).toEqual([{ domain, tls, email }])
})
